package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// A target emits the kernels that package elementwise describes. All its loops interleave vectors, for cores
// with a small reorder window.
type target struct{ *emitter }

func newTarget(file *a64.File) target { return target{newEmitter(file)} }

func (t target) Begin(d decl.Func)                         { t.function(d) }
func (t target) End()                                      { t.RET() }
func (t target) Comment(text string)                       { t.emitter.Comment("%s", text) }
func (t target) Broadcast(name string) a64.V               { return t.broadcastArg(name) }
func (t target) Constant(name string, value float32) a64.V { return t.loaded(name, value) }
func (t target) Copy(v a64.V) a64.V                        { return t.moved(v) }

func (t target) Each(n a64.R, body func(s elementwise.Span[a64.R, a64.V])) { t.EachInFlight(n, body) }

func (t target) EachInFlight(n a64.R, body func(s elementwise.Span[a64.R, a64.V])) {
	t.eachInFlight(n, func(s span) { body(s) })
}

func (t target) Times(n a64.R, body func()) { t.times(n, body) }

func (t target) Add(b, a, d a64.V)     { t.VFADD(b, a, d) }
func (t target) Sub(b, a, d a64.V)     { t.VFSUB(b, a, d) }
func (t target) Mul(b, a, d a64.V)     { t.VFMUL(b, a, d) }
func (t target) Div(b, a, d a64.V)     { t.VFDIV(b, a, d) }
func (t target) Sqrt(a, d a64.V)       { t.VFSQRT(a, d) }
func (t target) MulAdd(b, a, d a64.V)  { t.VFMLA(b, a, d) }
func (t target) MulSub(b, a, d a64.V)  { t.VFMLS(b, a, d) }
func (t target) Tanh(a a64.V) a64.V    { return t.tanh(a) }
func (t target) Sigmoid(a a64.V) a64.V { return t.sigmoid(a) }

func (t target) Abs(a a64.V) a64.V {
	d := t.Vector()
	t.VFABS(a, d)
	return d
}

func (t target) ZeroBelow(d, a a64.V, name string, bound float32) {
	t.clear(t.larger(t.float(name, bound), a), d)
}
