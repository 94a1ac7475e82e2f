package neon

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Pack generates the kernels that bring operands of products into panels.
func Pack(file *a64.File) {
	e := newEmitter(file)
	e.gather()
	e.transpose()
}

func (e *emitter) gather() {
	e.function(decl.Gather)
	dst, size, src, stride := e.Arg("dst"), e.inBytes("size"), e.Arg("src"), e.inBytes("stride")
	rows, panels := e.Arg("rows"), e.Arg("panels")
	single, done := e.NewLabel("single"), e.NewLabel("done")
	copyRows := func(count int) {
		e.Comment("copy 16 values of each row to each of %d panels", count)
		panel := []a64.R{dst}
		for p := 1; p < count; p++ {
			next := e.General()
			e.ADD(size, panel[p-1], next)
			panel = append(panel, next)
		}
		e.times(rows, func() {
			for p, to := range panel {
				for v := 0; v < panelBytes; v += 2 * vectorBytes {
					x, y := e.Vector(), e.Vector()
					e.FLDPQ(src, p*panelBytes+v, x, y)
					e.FSTPQ(x, y, to, v)
				}
				e.ADDI(panelBytes, to, to)
			}
			e.ADD(stride, src, src)
		})
	}
	e.CMPI(1, panels)
	e.BEQ(single)
	copyRows(3)
	e.B(done)
	e.Label(single)
	copyRows(1)
	e.Label(done)
	e.RET()
}

// transpose generates the transposition of a 16×16 block in blocks of 4×4.
func (e *emitter) transpose() {
	e.function(decl.Transpose)
	dst, dstStride, src, srcStride := e.Arg("dst"), e.inBytes("dstStride"), e.Arg("src"), e.inBytes("srcStride")
	bands := e.General()
	e.MOVDI(asm.Panel/lanes, bands)
	e.times(bands, func() {
		q := e.copied(dst)
		for column := 0; column < panelBytes; column += vectorBytes {
			e.transposeBlock(q, dstStride, src, srcStride, column)
		}
		for range lanes {
			e.ADD(srcStride, src, src)
		}
		e.ADDI(vectorBytes, dst, dst)
	})
	e.RET()
}

// transposeBlock transposes 4×4 values: it interleaves adjacent rows, then pairs of the results. It
// advances dst by four rows.
func (e *emitter) transposeBlock(dst, dstStride, src, srcStride a64.R, column int) {
	e.Comment("load a block of %d×%d", lanes, lanes)
	p := e.copied(src)
	var a, b, c [lanes]a64.V
	for i := range a {
		a[i] = e.at(p, column)
		e.ADD(srcStride, p, p)
	}
	e.Comment("interleave adjacent rows, then pairs of the results")
	for i := 0; i < lanes; i += 2 {
		b[i], b[i+1] = e.Vector(), e.Vector()
		e.VTRN1(a[i+1], a[i], b[i])
		e.VTRN2(a[i+1], a[i], b[i+1])
	}
	for i := range 2 {
		c[i], c[i+2] = e.Vector(), e.Vector()
		e.VTRN1D(b[i+2], b[i], c[i])
		e.VTRN2D(b[i+2], b[i], c[i+2])
	}
	e.Comment("store the columns as rows")
	for _, v := range c {
		e.STQ(v, dst, 0)
		e.ADD(dstStride, dst, dst)
	}
}
