package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// A target emits the kernels that package elementwise describes.
type target struct{ *emitter }

type vec = reg.VecVirtual

func newTarget(c *build.Context, isa ISA) target { return target{newEmitter(c, isa)} }

func (t target) Begin(d decl.Func)                       { t.function(d) }
func (t target) End()                                    { t.end() }
func (t target) Comment(text string)                     { t.emitter.Comment(text) }
func (t target) Arg(name string) reg.GPVirtual           { return t.arg(name) }
func (t target) Broadcast(name string) vec               { return t.broadcastArg(name) }
func (t target) Constant(name string, value float32) vec { return t.loaded(t.float(name, value)) }
func (t target) Vector() vec                             { return t.vec() }
func (t target) Copy(v vec) vec                          { return t.loaded(v) }

func (t target) Each(n reg.GPVirtual, body func(s elementwise.Span[reg.GPVirtual, vec])) {
	t.each(n, func(s span) { body(s) })
}

func (t target) EachInFlight(n reg.GPVirtual, body func(s elementwise.Span[reg.GPVirtual, vec])) {
	t.eachInFlight(n, func(s span) { body(s) })
}

func (t target) Times(n reg.GPVirtual, body func()) { t.times(n, body) }

func (t target) Add(b, a, d vec)    { t.VADDPS(b, a, d) }
func (t target) Sub(b, a, d vec)    { t.VSUBPS(b, a, d) }
func (t target) Mul(b, a, d vec)    { t.VMULPS(b, a, d) }
func (t target) Div(b, a, d vec)    { t.VDIVPS(b, a, d) }
func (t target) Sqrt(a, d vec)      { t.VSQRTPS(a, d) }
func (t target) MulAdd(b, a, d vec) { t.VFMADD231PS(b, a, d) }
func (t target) MulSub(b, a, d vec) { t.VFNMADD231PS(b, a, d) }
func (t target) Tanh(a vec) vec     { return t.tanh(a) }
func (t target) Sigmoid(a vec) vec  { return t.sigmoid(a) }

func (t target) Abs(a vec) vec {
	d := t.vec()
	t.VANDPS(t.bits("absBits", ^uint32(asm.SignBit)), a, d)
	return d
}

func (t target) ZeroBelow(d, a vec, name string, bound float32) {
	t.zeroBelow(d, a, t.float(name, bound))
}
