package avx

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Softmax generates the passes of softmax over its input, and its backward pass.
func Softmax(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.max()
	e.expSum(decl.ExpSum, true)
	e.expSum(decl.SumExp, false)
	elementwise.SoftmaxGradient(target{e})
}

func (e *emitter) max() {
	e.function(decl.Max)
	x, n := e.arg("x"), e.arg("n")
	acc := make([]reg.VecVirtual, e.parts())
	for i := range acc {
		acc[i] = e.loaded(e.float("negativeInfinity", float32(math.Inf(-1))))
	}
	negativeInfinity := e.loaded(e.float("negativeInfinity", float32(math.Inf(-1))))
	e.reduce(n, func(s span) {
		e.Comment("max(x, largest); -Inf past the end")
		e.VMAXPS(s.loadOr(x, negativeInfinity), acc[s.part], acc[s.part])
	})
	e.Store(e.maxTree(acc), e.ReturnIndex(0))
	e.end()
}

// expSum generates the sum of exponentials, with or without storing them. Elements past the end
// add 0.
func (e *emitter) expSum(d decl.Func, store bool) {
	var dst reg.GPVirtual
	e.function(d)
	e.schedule(schedule{inFlight: 2, constants: 1}, schedule{inFlight: 2, constants: 12})
	if store {
		dst = e.arg("dst")
	}
	src := e.arg("src")
	n, max := e.arg("n"), e.broadcastArg("max")
	acc := e.accumulators()
	e.reduce(n, func(s span) {
		e.Comment("x = src - max")
		x := s.Load(src)
		e.VSUBPS(max, x, x)
		y := e.expTerm(x)
		e.Comment("sum += exp(x)")
		s.clip(y)
		if store {
			s.Store(y, dst)
		}
		e.VADDPS(y, acc[s.part], acc[s.part])
	})
	e.Store(e.sumTree(acc), e.ReturnIndex(0))
	e.end()
}
