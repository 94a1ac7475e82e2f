package neon

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Transpose writes the transposition of a 16×16 block, in blocks of a vector squared.
func Transpose(file *a64.File) {
	e := newEmitter(file)
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
	e.end()
}

// transposeBlock interleaves neighbouring rows and then pairs of those. It moves dst behind
// the rows that it writes.
func (e *emitter) transposeBlock(dst, dstStride, src, srcStride a64.R, column int) {
	p := e.copied(src)
	var a, b, c [lanes]a64.V
	for i := range a {
		a[i] = e.at(p, column)
		e.ADD(srcStride, p, p)
	}
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
	for _, v := range c {
		e.STQ(v, dst, 0)
		e.ADD(dstStride, dst, dst)
	}
}
