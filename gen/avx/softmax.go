package avx

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// Softmax writes the passes of softmax and its backward pass.
func Softmax(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.max()
	e.expSum("ExpSum", true)
	e.expSum("SumExp", false)
	e.scale()
	e.dot()
	e.softmaxGradient()
}

func (e *emitter) max() {
	e.function("Max", "func(x *float32, n int) float32", "Max returns the largest of the n elements of x.")
	x, n := e.arg("x"), e.arg("n")
	acc := make([]reg.VecVirtual, e.parts())
	for i := range acc {
		acc[i] = e.loaded(e.float("negativeInfinity", float32(math.Inf(-1))))
	}
	least := e.loaded(e.float("negativeInfinity", float32(math.Inf(-1))))
	e.reduce(n, func(s span) {
		e.VMAXPS(s.loadOr(x, least), acc[s.part], acc[s.part])
	})
	e.Store(e.maxTree(acc), e.ReturnIndex(0))
	e.end()
}

// expSum writes the sum of exponentials, with or without storing them.
func (e *emitter) expSum(name string, store bool) {
	var src, dst reg.GPVirtual
	if store {
		e.function(name, "func(dst, src *float32, n int, max float32) float32",
			name+" sets dst[i] = exp(src[i]-max) for i < n, 0 below the normal numbers,", "and returns the sum in 16 lanes.")
		dst = e.arg("dst")
	} else {
		e.function(name, "func(src *float32, n int, max float32) float32",
			name+" returns the sum of exp(src[i]-max) for i < n as ExpSum does.")
	}
	e.pace(pace{2, 1}, pace{2, 12})
	src = e.arg("src")
	n, max := e.arg("n"), e.broadcastArg("max")
	acc := e.accumulators()
	e.reduce(n, func(s span) {
		x := s.load(src)
		e.VSUBPS(max, x, x)
		y := e.expTerm(x)
		s.clip(y)
		if store {
			s.store(y, dst)
		}
		e.VADDPS(y, acc[s.part], acc[s.part])
	})
	e.Store(e.sumTree(acc), e.ReturnIndex(0))
	e.end()
}

func (e *emitter) scale() {
	e.function("Scale", "func(x *float32, n int, a float32)", "Scale sets x[i] = a*x[i] for i < n.")
	x, n, a := e.arg("x"), e.arg("n"), e.broadcastArg("a")
	e.each(n, func(s span) {
		v := s.load(x)
		e.VMULPS(a, v, v)
		s.store(v, x)
	})
	e.end()
}

func (e *emitter) dot() {
	e.function("Dot", "func(x, y *float32, n int) float32", "Dot returns the sum of x[i]*y[i] for i < n in 16 lanes.")
	x, y, n := e.arg("x"), e.arg("y"), e.arg("n")
	acc := e.accumulators()
	e.reduce(n, func(s span) {
		e.VFMADD231PS(s.load(y), s.load(x), acc[s.part])
	})
	e.Store(e.sumTree(acc), e.ReturnIndex(0))
	e.end()
}

func (e *emitter) softmaxGradient() {
	e.function("SoftmaxGradient", "func(dx, y, dy *float32, n int, sum float32)",
		"SoftmaxGradient sets dx[i] = y[i]*(dy[i]-sum) for i < n.")
	dx, y, dy, n, sum := e.arg("dx"), e.arg("y"), e.arg("dy"), e.arg("n"), e.broadcastArg("sum")
	e.each(n, func(s span) {
		d := s.load(dy)
		e.VSUBPS(sum, d, d)
		e.VMULPS(s.load(y), d, d)
		s.store(d, dx)
	})
	e.end()
}
