package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Pack generates the kernels that bring operands of products into panels. AVX-512 shares Transpose with AVX2: Zen 4
// has two shuffles of 256 bits in a cycle, or one of 512 bits.
func Pack(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.gather()
	if !e.wide() {
		e.transpose()
	}
}

// gatherAhead is the number of rows between a prefetch and the copy of that row.
const gatherAhead = 8

func (e *emitter) gather() {
	e.function(decl.Gather)
	dst, size, src, stride := e.arg("dst"), e.inBytes("size"), e.arg("src"), e.inBytes("stride")
	rows, panels, ahead := e.arg("rows"), e.arg("panels"), e.multiple(stride, gatherAhead)
	single, done := e.label("single"), e.label("done")
	copyRows := func(count int) {
		e.Commentf("copy 16 values of each row to each of %d panels", count)
		e.times(rows, func() {
			for p := range count {
				e.PREFETCHT0(operand.Mem{Base: src, Index: ahead, Scale: 1, Disp: p * asm.Panel * 4})
			}
			for v := range count * asm.Panel / e.lanes {
				e.VMOVUPS(e.loaded(at(src, v*e.bytes)), e.inPanel(dst, size, v))
			}
			e.ADDQ(stride, src)
			e.ADDQ(operand.U32(asm.Panel*4), dst)
		})
	}
	e.CMPQ(panels, operand.I8(1))
	e.JEQ(operand.LabelRef(single))
	copyRows(3)
	e.JMP(operand.LabelRef(done))
	e.Label(single)
	copyRows(1)
	e.Label(done)
	e.end()
}

// transpose generates the transposition of a 16×16 block as four blocks of AVX2 vectors.
func (e *emitter) transpose() {
	e.function(decl.Transpose)
	dst, dstStride, src, srcStride := e.arg("dst"), e.inBytes("dstStride"), e.arg("src"), e.inBytes("srcStride")
	below, right := e.GP64(), e.GP64()
	e.LEAQ(indexed(src, srcStride, 8), below)
	e.LEAQ(indexed(dst, dstStride, 8), right)
	e.transposeBlock(dst, dstStride, src, srcStride, 0, 0)
	e.transposeBlock(right, dstStride, src, srcStride, 0, e.bytes)
	e.transposeBlock(dst, dstStride, below, srcStride, e.bytes, 0)
	e.transposeBlock(right, dstStride, below, srcStride, e.bytes, e.bytes)
	e.end()
}

// transposeBlock transposes 8×8 values. It interleaves adjacent rows, then pairs of the results, so that
// 128-bit part h of c[4g+l] holds column 4h+l of rows 4g to 4g+3, and then rearranges these parts. The
// displacements are the first columns in bytes.
func (e *emitter) transposeBlock(dst, dstStride, src, srcStride reg.GPVirtual, dstDisp, srcDisp int) {
	e.Commentf("load a block of %d×%d", e.lanes, e.lanes)
	p := e.GP64()
	e.MOVQ(src, p)
	a := make([]reg.VecVirtual, e.lanes)
	for i := range a {
		a[i] = e.loaded(at(p, srcDisp))
		e.ADDQ(srcStride, p)
	}
	e.Comment("interleave adjacent rows, then pairs of the results")
	b, c := make([]reg.VecVirtual, e.lanes), make([]reg.VecVirtual, e.lanes)
	for i := 0; i < e.lanes; i += 2 {
		b[i], b[i+1] = e.vec(), e.vec()
		e.VUNPCKLPS(a[i+1], a[i], b[i])
		e.VUNPCKHPS(a[i+1], a[i], b[i+1])
	}
	for i := 0; i < e.lanes; i += 4 {
		for j := range 2 {
			c[i+2*j], c[i+2*j+1] = e.vec(), e.vec()
			e.VUNPCKLPD(b[i+j+2], b[i+j], c[i+2*j])
			e.VUNPCKHPD(b[i+j+2], b[i+j], c[i+2*j+1])
		}
	}
	e.Comment("rearrange 128-bit parts, store the columns as rows")
	q := e.GP64()
	e.MOVQ(dst, q)
	columns := make([]reg.VecVirtual, e.lanes)
	for i := range columns {
		columns[i] = e.vec()
		e.VPERM2F128(operand.U8(0x20+0x11*(i/4)), c[i%4+4], c[i%4], columns[i])
	}
	for _, v := range columns {
		e.VMOVUPS(v, at(q, dstDisp))
		e.ADDQ(dstStride, q)
	}
}
