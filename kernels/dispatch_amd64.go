//go:build !purego && !noasm

package kernels

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/softsearch-go/softsearch/asm/avx2"
)

// native returns the instruction sets with assembly that this processor and its operating
// system support. cpuid reports AVX2 and FMA3 only where the system saves the YMM registers.
func native() []isa {
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) {
		return []isa{isaAVX2}
	}
	return nil
}

func (k Impl) exp(dst, src []float32) {
	if k.isa == isaAVX2 {
		avx2.Exp(&dst[0], &src[0], len(src))
		return
	}
	expGo(dst, src)
}

func (k Impl) tanh(dst, src []float32) {
	if k.isa == isaAVX2 {
		avx2.Tanh(&dst[0], &src[0], len(src))
		return
	}
	tanhGo(dst, src)
}

func (k Impl) sigmoid(dst, src []float32) {
	if k.isa == isaAVX2 {
		avx2.Sigmoid(&dst[0], &src[0], len(src))
		return
	}
	sigmoidGo(dst, src)
}

func (k Impl) tanhBackward(dx, y, dy []float32) {
	if k.isa == isaAVX2 {
		avx2.TanhBackward(&dx[0], &y[0], &dy[0], len(y))
		return
	}
	tanhBackwardGo(dx, y, dy)
}

func (k Impl) tile(t *tile) {
	if k.isa != isaAVX2 || t.depth == 0 {
		tileGo(t)
		return
	}
	start := &t.bias[0]
	if t.add {
		start = nil
	}
	avx2.Gemm(&t.c[0], t.ldc, t.rows, &t.x[0], t.xRow, t.xCol, &t.w[0], t.depth, start, int(t.act))
}

func (k Impl) gemv(v *vector) {
	if k.isa != isaAVX2 || len(v.x) == 0 {
		gemvGo(v)
		return
	}
	start := &v.y[0]
	step := panel
	if !v.add {
		start, step = &zeros[0], 0
		if v.bias != nil {
			start, step = &v.bias[0], panel
		}
	}
	avx2.Gemv(&v.y[0], &v.x[0], &v.w[0], v.stride, len(v.x), v.panels, start, step, int(v.act))
}

// zeros starts the chains of a product without bias.
var zeros [4 * panel]float32

func (k Impl) transpose(dst []float32, dstStride int, src []float32, srcStride int) {
	if k.isa == isaAVX2 {
		avx2.Transpose(&dst[0], dstStride, &src[0], srcStride)
		return
	}
	transposeGo(dst, dstStride, src, srcStride)
}

func (k Impl) max(x []float32) float32 {
	if k.isa == isaAVX2 {
		return avx2.Max(&x[0], len(x))
	}
	return maxGo(x)
}

func (k Impl) expSum(dst, src []float32, m float32) float32 {
	if k.isa == isaAVX2 {
		return avx2.ExpSum(&dst[0], &src[0], len(src), m)
	}
	return expSumGo(dst, src, m)
}

func (k Impl) sumExp(x []float32, m float32) float32 {
	if k.isa == isaAVX2 {
		return avx2.SumExp(&x[0], len(x), m)
	}
	return sumExpGo(x, m)
}

func (k Impl) scaleBlock(x []float32, a float32) {
	if k.isa == isaAVX2 {
		avx2.Scale(&x[0], len(x), a)
		return
	}
	scaleGo(x, a)
}

func (k Impl) softmaxBackward(dx, y, dy []float32) {
	if k.isa == isaAVX2 {
		avx2.SoftmaxBackward(&dx[0], &y[0], &dy[0], len(y))
		return
	}
	softmaxBackwardGo(dx, y, dy)
}

func (k Impl) scores(e, q []float32, keys Matrix, v []float32) {
	if k.isa == isaAVX2 {
		avx2.Scores(&e[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v))
		return
	}
	scoresGo(e, q, keys, v)
}

func (k Impl) scoresBackward(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32) {
	if k.isa == isaAVX2 {
		avx2.ScoresBackward(&dq[0], &dkeys.Data[0], &dv[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v), &de[0])
		return
	}
	scoresBackwardGo(dq, dkeys, dv, q, keys, v, de)
}

func (k Impl) weightedSum(dst, a []float32, rows Matrix) {
	if k.isa == isaAVX2 {
		avx2.WeightedSum(&dst[0], len(dst), &a[0], &rows.Data[0], rows.Stride, rows.Rows)
		return
	}
	weightedSumGo(dst, a, rows)
}

func (k Impl) contextBackward(da []float32, drows Matrix, a []float32, rows Matrix, dc []float32) {
	if k.isa == isaAVX2 {
		avx2.ContextBackward(&da[0], &drows.Data[0], &a[0], &rows.Data[0], rows.Stride, rows.Rows, &dc[0], len(dc))
		return
	}
	contextBackwardGo(da, drows, a, rows, dc)
}

func (k Impl) gruGates(z, r, rh, h []float32) {
	if k.isa == isaAVX2 {
		avx2.GRUGates(&z[0], &r[0], &rh[0], &h[0], len(h))
		return
	}
	gruGatesGo(z, r, rh, h)
}

func (k Impl) gruState(next, candidate, z, h []float32) {
	if k.isa == isaAVX2 {
		avx2.GRUState(&next[0], &candidate[0], &z[0], &h[0], len(h))
		return
	}
	gruStateGo(next, candidate, z, h)
}

func (k Impl) gruStateBackward(dh, candidate, z, h, dnext []float32) {
	if k.isa == isaAVX2 {
		avx2.GRUStateBackward(&dh[0], &candidate[0], &z[0], &h[0], &dnext[0], len(h))
		return
	}
	gruStateBackwardGo(dh, candidate, z, h, dnext)
}

func (k Impl) gruGatesBackward(dh, r, drh, h []float32) {
	if k.isa == isaAVX2 {
		avx2.GRUGatesBackward(&dh[0], &r[0], &drh[0], &h[0], len(h))
		return
	}
	gruGatesBackwardGo(dh, r, drh, h)
}

func (k Impl) maxout(dst, src []float32) {
	if k.isa == isaAVX2 {
		avx2.Maxout(&dst[0], &src[0], len(dst))
		return
	}
	maxoutGo(dst, src)
}

func (k Impl) maxoutBackward(src, ddst []float32) {
	if k.isa == isaAVX2 {
		avx2.MaxoutBackward(&src[0], &ddst[0], len(ddst))
		return
	}
	maxoutBackwardGo(src, ddst)
}

func (k Impl) adadelta(a Adadelta, x, g, g2, dx2 []float32) {
	if k.isa == isaAVX2 {
		avx2.Adadelta(&x[0], &g[0], &g2[0], &dx2[0], len(x), a.Rho, 1-a.Rho, a.Epsilon, a.Scale)
		return
	}
	adadeltaGo(a, x, g, g2, dx2)
}

func (k Impl) sumSquares(x []float32) float32 {
	if k.isa == isaAVX2 {
		return avx2.SumSquares(&x[0], len(x))
	}
	return sumSquaresGo(x)
}

func (k Impl) add(dst, src []float32) {
	if k.isa == isaAVX2 {
		avx2.Add(&dst[0], &src[0], len(src))
		return
	}
	addGo(dst, src)
}
