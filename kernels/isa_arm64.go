//go:build !purego && !noasm

package kernels

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/softsearch-go/softsearch/asm/neon"
)

// native returns the instruction sets with assembly that this processor has, the fastest
// first. Every arm64 processor that Go supports has NEON; kernels for an extension such as SVE would
// come before it, where cpuid reports that.
func native() []isa { return []isa{isaNEON} }

// tilePanels returns the number of panels that a tile has at most.
func (k Impl) tilePanels() int { return 1 }

func (k Impl) tileFloat32(t *tile) {
	if k.isa != isaNEON || t.depth == 0 {
		tileGo(t)
		return
	}
	w := float(t.w)
	neon.Gemm(&t.c[0], t.ldc, t.next, t.rows, float(t.x), t.xRow, t.xCol, w, t.stride, t.depth, w, t.start(), int(t.act))
}

func (k Impl) gemv(v *vector) {
	if k.isa != isaNEON || len(v.x) == 0 {
		gemvGo(v)
		return
	}
	start, step := v.start()
	neon.Gemv(&v.y[0], &v.x[0], &v.w[0], v.stride, len(v.x), v.panels, &start[0], step, int(v.act))
}

// dotProducts reports whether this processor has SDOT (FEAT_DotProd).
var dotProducts = cpuid.CPU.Supports(cpuid.ASIMDDP)

// matrixProducts reports whether this processor has SMMLA (FEAT_I8MM), which multiplies two rows at a time.
var matrixProducts = cpuid.CPU.Supports(cpuid.I8MM)

func (k Impl) tilePanelsInt8() int { return 1 }

func (k Impl) widensInt8() bool { return false }

func (k Impl) tileInt8(t *tileInt8) {
	starts := t.exactStarts()
	switch {
	case k.isa != isaNEON:
		tileInt8Go(t)
	case matrixProducts:
		neon.GemmInt8Matrix(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, starts)
	case dotProducts:
		neon.GemmInt8Dot(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, starts)
	default:
		neon.GemmInt8(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, starts)
	}
}

// exactStarts returns starts of 0, since the weights stay signed, or nil to add to the old sums.
func (t *tileInt8) exactStarts() *int32 {
	if t.starts == nil {
		return nil
	}
	return &zeroStarts[0]
}

var zeroStarts [int8Rows]int32

func (k Impl) gemvInt8(v *vectorInt8) {
	switch {
	case k.isa != isaNEON:
		gemvInt8Go(v)
	case dotProducts:
		neon.GemvInt8Dot(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, 0)
	default:
		neon.GemvInt8(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, 0)
	}
}

func (k Impl) widensBF16() bool { return false }

// bf16Long reports whether this processor has BFMLALT and BFMLALB (FEAT_BF16).
var bf16Long = cpuid.CPU.Supports(cpuid.BF16)

func (k Impl) tileBF16(t *tile) {
	add, bias := t.addAndBias()
	switch {
	case k.isa != isaNEON || t.depth == 0:
		tileBF16Go(t)
	case bf16Long:
		neon.GemmBF16Long(&t.c[0], t.ldc, t.next, t.rows, &t.x[0], t.xRow, t.xCol, &t.w[0], t.stride, t.depth, add, bias, int(t.act))
	default:
		neon.GemmBF16(&t.c[0], t.ldc, t.next, t.rows, &t.x[0], t.xRow, t.xCol, &t.w[0], t.stride, t.depth, add, bias, int(t.act))
	}
}
