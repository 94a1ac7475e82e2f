//go:build !purego && !noasm

package kernels

import "github.com/softsearch-go/softsearch/asm/neon"

// native returns the instruction sets with assembly that this processor has, the fastest
// first. Every arm64 processor that Go supports has NEON; kernels for an extension such as
// dot products or SVE would come before it, where cpuid reports that.
func native() []isa { return []isa{isaNEON} }

// tilePanels returns the number of panels that a tile has at most.
func (k Impl) tilePanels() int { return 1 }

func (k Impl) tile(t *tile) {
	if k.isa != isaNEON || t.depth == 0 {
		tileGo(t)
		return
	}
	start := &t.bias[0]
	if t.add {
		start = nil
	}
	neon.Gemm(&t.c[0], t.ldc, t.next, t.rows, &t.x[0], t.xRow, t.xCol, &t.w[0], t.stride, t.depth, &t.w[0], 0, start, int(t.act))
}

func (k Impl) gemv(v *vector) {
	if k.isa != isaNEON || len(v.x) == 0 {
		gemvGo(v)
		return
	}
	start, step := v.start()
	neon.Gemv(&v.y[0], &v.x[0], &v.w[0], v.stride, len(v.x), v.panels, &start[0], step, int(v.act))
}

func (k Impl) gather(dst []float32, size int, src []float32, stride, rows, n int) {
	if k.isa != isaNEON {
		gatherGo(dst, size, src, stride, rows, n)
		return
	}
	neon.Gather(&dst[0], size, &src[0], stride, rows, n)
}

func (k Impl) transpose(dst []float32, dstStride int, src []float32, srcStride int) {
	if k.isa != isaNEON {
		transposeGo(dst, dstStride, src, srcStride)
		return
	}
	neon.Transpose(&dst[0], dstStride, &src[0], srcStride)
}
