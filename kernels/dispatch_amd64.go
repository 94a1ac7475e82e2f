//go:build !purego && !noasm

package kernels

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/softsearch-go/softsearch/asm/avx2"
	"github.com/softsearch-go/softsearch/asm/avx512"
)

// native returns the instruction sets with assembly that this processor and its operating
// system support, the fastest first. cpuid reports AVX2 and FMA3, and AVX-512, only where the
// system saves their registers.
func native() (list []isa) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL) {
		list = append(list, isaAVX512)
	}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) {
		list = append(list, isaAVX2)
	}
	return list
}

// tilePanels returns the number of panels that a tile has at most.
func (k Impl) tilePanels() int {
	if k.isa == isaAVX512 {
		return maxTilePanels
	}
	return 1
}

func (k Impl) tile(t *tile) {
	if k.isa == isaGo || t.depth == 0 {
		tileGo(t)
		return
	}
	start := &t.bias[0]
	if t.add {
		start = nil
	}
	c, x, w, ahead := &t.c[0], &t.x[0], &t.w[0], &t.w[0]
	if len(t.ahead) > 0 {
		ahead = &t.ahead[0]
	}
	switch {
	case t.panels > 1:
		avx512.GemmWide(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, ahead, t.step, start, int(t.act))
	case k.isa == isaAVX512:
		avx512.Gemm(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, ahead, t.step, start, int(t.act))
	default:
		avx2.Gemm(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, ahead, t.step, start, int(t.act))
	}
}

func (k Impl) gemv(v *vector) {
	if k.isa == isaGo || len(v.x) == 0 {
		gemvGo(v)
		return
	}
	start, step := v.start()
	if k.isa == isaAVX512 {
		avx512.Gemv(&v.y[0], &v.x[0], &v.w[0], v.stride, len(v.x), v.panels, &start[0], step, int(v.act))
		return
	}
	avx2.Gemv(&v.y[0], &v.x[0], &v.w[0], v.stride, len(v.x), v.panels, &start[0], step, int(v.act))
}

func (k Impl) gather(dst []float32, size int, src []float32, stride, rows, n int) {
	switch k.isa {
	case isaAVX512:
		avx512.Gather(&dst[0], size, &src[0], stride, rows, n)
	case isaAVX2:
		avx2.Gather(&dst[0], size, &src[0], stride, rows, n)
	default:
		gatherGo(dst, size, src, stride, rows, n)
	}
}

func (k Impl) transpose(dst []float32, dstStride int, src []float32, srcStride int) {
	switch k.isa {
	case isaAVX512:
		avx512.Transpose(&dst[0], dstStride, &src[0], srcStride)
	case isaAVX2:
		avx2.Transpose(&dst[0], dstStride, &src[0], srcStride)
	default:
		transposeGo(dst, dstStride, src, srcStride)
	}
}
