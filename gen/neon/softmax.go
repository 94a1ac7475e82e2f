package neon

import (
	"math"

	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Softmax generates the passes of softmax over its input, and its backward pass.
func Softmax(file *a64.File) {
	e := newEmitter(file)
	e.max()
	e.expSum(decl.ExpSum, true)
	e.expSum(decl.SumExp, false)
	elementwise.SoftmaxGradient(target{e})
}

func (e *emitter) max() {
	e.function(decl.Max)
	x, n := e.Arg("x"), e.Arg("n")
	acc := make([]a64.V, parts)
	e.scope(func() {
		for i := range acc {
			acc[i] = e.moved(e.negativeInfinity())
		}
		e.reduce(n, acc, func(s span, largest a64.V) {
			e.Comment("max(x, largest); -Inf past the end")
			e.VFMAX(s.loadOr(x, e.negativeInfinity()), largest, largest)
		})
	})
	e.Return(e.maxTree(acc))
	e.RET()
}

// negativeInfinity returns a register that holds -Inf throughout the loop.
func (e *emitter) negativeInfinity() a64.V { return e.float("negativeInfinity", float32(math.Inf(-1))) }

// expSum generates the sum of exponentials, with or without storing them. Elements past the end are
// -Inf and add exp(-Inf) = 0.
func (e *emitter) expSum(d decl.Func, store bool) {
	var dst a64.R
	e.function(d)
	if store {
		dst = e.Arg("dst")
	}
	src := e.Arg("src")
	n, max := e.Arg("n"), e.broadcastArg("max")
	acc := e.accumulators()
	e.reduce(n, acc, func(s span, sum a64.V) {
		e.Comment("x = src - max")
		x := s.loadOr(src, e.negativeInfinity())
		e.VFSUB(max, x, x)
		y := e.expTerm(x)
		if store {
			s.Store(y, dst)
		}
		e.Comment("sum += exp(x)")
		e.VFADD(y, sum, sum)
	})
	e.Return(e.sumTree(acc))
	e.RET()
}
