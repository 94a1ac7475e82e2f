package avx2

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Transpose writes the transposition of a 16×16 block, four 8×8 blocks one by one.
func Transpose(c *build.Context) {
	e := newEmitter(c)
	e.function("Transpose", "func(dst *float32, dstStride int, src *float32, srcStride int)",
		"Transpose sets dst[j*dstStride+i] = src[i*srcStride+j] for i, j < 16.")
	dst, dstStride, src, srcStride := e.arg("dst"), e.bytes("dstStride"), e.arg("src"), e.bytes("srcStride")
	below, right := e.GP64(), e.GP64()
	e.LEAQ(indexed(src, srcStride, 8), below)
	e.LEAQ(indexed(dst, dstStride, 8), right)
	e.transpose8(dst, dstStride, src, srcStride, 0, 0)
	e.transpose8(right, dstStride, src, srcStride, 0, vectorBytes)
	e.transpose8(dst, dstStride, below, srcStride, vectorBytes, 0)
	e.transpose8(right, dstStride, below, srcStride, vectorBytes, vectorBytes)
	e.end()
}

// transpose8 interleaves neighbouring rows, then pairs of those, then swaps the 128-bit
// halves. The displacements are the columns of the 8×8 blocks in bytes.
func (e *emitter) transpose8(dst, dstStride, src, srcStride reg.GPVirtual, dstDisp, srcDisp int) {
	p := e.GP64()
	e.MOVQ(src, p)
	var a, b, c [vectorLanes]reg.VecVirtual
	for i := range a {
		a[i] = e.loaded(at(p, srcDisp))
		e.ADDQ(srcStride, p)
	}
	for i := 0; i < vectorLanes; i += 2 {
		b[i], b[i+1] = e.YMM(), e.YMM()
		e.VUNPCKLPS(a[i+1], a[i], b[i])
		e.VUNPCKHPS(a[i+1], a[i], b[i+1])
	}
	for i := 0; i < vectorLanes; i += 4 {
		for j := range 2 {
			c[i+2*j], c[i+2*j+1] = e.YMM(), e.YMM()
			e.VUNPCKLPD(b[i+j+2], b[i+j], c[i+2*j])
			e.VUNPCKHPD(b[i+j+2], b[i+j], c[i+2*j+1])
		}
	}
	q := e.GP64()
	e.MOVQ(dst, q)
	for half := range 2 {
		for i := range vectorLanes / 2 {
			v := e.YMM()
			e.VPERM2F128(operand.U8(0x20+0x11*half), c[i+4], c[i], v)
			e.VMOVUPS(v, at(q, dstDisp))
			e.ADDQ(dstStride, q)
		}
	}
}
