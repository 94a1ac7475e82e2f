package avx2

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// Maxout writes maxout over adjacent pairs and its backward pass.
func Maxout(c *build.Context) {
	e := newEmitter(c)
	e.maxout()
	e.maxoutBackward()
}

// The immediates of VSHUFPS that take the even and the odd lanes of two vectors, and of
// VPERMPD that puts their 64-bit quarters in order.
const (
	evenLanes = 0x88
	oddLanes  = 0xdd
	inOrder   = 0xd8
)

func (e *emitter) maxout() {
	e.function("Maxout", "func(dst, src *float32, n int)",
		"Maxout sets dst[j] to the larger of src[2j] and src[2j+1] for j < n, n a multiple of 8.")
	dst, src, n := e.arg("dst"), e.arg("src"), e.arg("n")
	e.SHRQ(operand.U8(3), n)
	e.times(n, func() {
		a, b := e.loaded(at(src, 0)), e.loaded(at(src, vectorBytes))
		first, second := e.YMM(), e.YMM()
		e.VSHUFPS(operand.U8(evenLanes), b, a, first)
		e.VSHUFPS(operand.U8(oddLanes), b, a, second)
		e.VMAXPS(first, second, first)
		e.VPERMPD(operand.U8(inOrder), first, first)
		e.VMOVUPS(first, at(dst, 0))
		e.ADDQ(operand.I8(2*vectorBytes), src)
		e.ADDQ(operand.I8(vectorBytes), dst)
	})
	e.end()
}

func (e *emitter) maxoutBackward() {
	const greaterThan = 0x1e
	e.function("MaxoutBackward", "func(src, ddst *float32, n int)",
		"MaxoutBackward sets the larger of src[2j] and src[2j+1], the first of two equals, to ddst[j] and the other to 0",
		"for j < n, n a multiple of 8.")
	src, ddst, n := e.arg("src"), e.arg("ddst"), e.arg("n")
	e.SHRQ(operand.U8(3), n)
	e.times(n, func() {
		a, b := e.loaded(at(src, 0)), e.loaded(at(src, vectorBytes))
		first, second, d := e.YMM(), e.YMM(), e.YMM()
		e.VSHUFPS(operand.U8(evenLanes), b, a, first)
		e.VSHUFPS(operand.U8(oddLanes), b, a, second)
		e.VCMPPS(operand.U8(greaterThan), first, second, second)
		e.VPERMPD(operand.U8(inOrder), at(ddst, 0), d)
		e.VANDNPS(d, second, first)
		e.VANDPS(d, second, second)
		e.VUNPCKLPS(second, first, a)
		e.VUNPCKHPS(second, first, b)
		e.VMOVUPS(a, at(src, 0))
		e.VMOVUPS(b, at(src, vectorBytes))
		e.ADDQ(operand.I8(2*vectorBytes), src)
		e.ADDQ(operand.I8(vectorBytes), ddst)
	})
	e.end()
}
