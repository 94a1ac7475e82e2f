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

func (k Impl) exp(dst, src []float32) {
	if k.isa != isaNEON {
		expGo(dst, src)
		return
	}
	neon.Exp(&dst[0], &src[0], len(src))
}

func (k Impl) tanh(dst, src []float32) {
	if k.isa != isaNEON {
		tanhGo(dst, src)
		return
	}
	neon.Tanh(&dst[0], &src[0], len(src))
}

func (k Impl) sigmoid(dst, src []float32) {
	if k.isa != isaNEON {
		sigmoidGo(dst, src)
		return
	}
	neon.Sigmoid(&dst[0], &src[0], len(src))
}

func (k Impl) relu(dst, src []float32) {
	if k.isa != isaNEON {
		reluGo(dst, src)
		return
	}
	neon.ReLU(&dst[0], &src[0], len(src))
}

func (k Impl) gelu(dst, src []float32) {
	if k.isa != isaNEON {
		geluGo(dst, src)
		return
	}
	neon.GELU(&dst[0], &src[0], len(src))
}

func (k Impl) tanhBackward(dx, y, dy []float32) {
	if k.isa != isaNEON {
		tanhBackwardGo(dx, y, dy)
		return
	}
	neon.TanhBackward(&dx[0], &y[0], &dy[0], len(y))
}

func (k Impl) add(dst, src []float32) {
	if k.isa != isaNEON {
		addGo(dst, src)
		return
	}
	neon.Add(&dst[0], &src[0], len(src))
}

func (k Impl) mul(dst, x, y []float32) {
	if k.isa != isaNEON {
		mulGo(dst, x, y)
		return
	}
	neon.Mul(&dst[0], &x[0], &y[0], len(dst))
}

func (k Impl) scale(x []float32, a float32) {
	if k.isa != isaNEON {
		scaleGo(x, a)
		return
	}
	neon.Scale(&x[0], len(x), a)
}

func (k Impl) dot(x, y []float32) float32 {
	if k.isa != isaNEON {
		return dotGo(x, y)
	}
	return neon.Dot(&x[0], &y[0], len(x))
}

func (k Impl) max(x []float32) float32 {
	if k.isa != isaNEON {
		return maxGo(x)
	}
	return neon.Max(&x[0], len(x))
}

func (k Impl) expSum(dst, src []float32, m float32) float32 {
	if k.isa != isaNEON {
		return expSumGo(dst, src, m)
	}
	return neon.ExpSum(&dst[0], &src[0], len(src), m)
}

func (k Impl) sumExp(x []float32, m float32) float32 {
	if k.isa != isaNEON {
		return sumExpGo(x, m)
	}
	return neon.SumExp(&x[0], len(x), m)
}

func (k Impl) softmaxGradient(dx, y, dy []float32, sum float32) {
	if k.isa != isaNEON {
		softmaxGradientGo(dx, y, dy, sum)
		return
	}
	neon.SoftmaxGradient(&dx[0], &y[0], &dy[0], len(y), sum)
}

func (k Impl) scores(e, q []float32, keys Matrix, v []float32) {
	if k.isa != isaNEON {
		scoresGo(e, q, keys, v)
		return
	}
	neon.Scores(&e[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v))
}

func (k Impl) scoresBackward(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32) {
	if k.isa != isaNEON {
		scoresBackwardGo(dq, dkeys, dv, q, keys, v, de)
		return
	}
	neon.ScoresBackward(&dq[0], &dkeys.Data[0], &dv[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v), &de[0])
}

func (k Impl) weightedSum(dst, a []float32, rows Matrix) {
	if k.isa != isaNEON {
		weightedSumGo(dst, a, rows)
		return
	}
	neon.WeightedSum(&dst[0], len(dst), &a[0], &rows.Data[0], rows.Stride, rows.Rows)
}

func (k Impl) gruGates(z, r, rh, h []float32) {
	if k.isa != isaNEON {
		gruGatesGo(z, r, rh, h)
		return
	}
	neon.GRUGates(&z[0], &r[0], &rh[0], &h[0], len(h))
}

func (k Impl) gruState(next, candidate, z, h []float32) {
	if k.isa != isaNEON {
		gruStateGo(next, candidate, z, h)
		return
	}
	neon.GRUState(&next[0], &candidate[0], &z[0], &h[0], len(h))
}

func (k Impl) gruStateBackward(dh, candidate, z, h, dnext []float32) {
	if k.isa != isaNEON {
		gruStateBackwardGo(dh, candidate, z, h, dnext)
		return
	}
	neon.GRUStateBackward(&dh[0], &candidate[0], &z[0], &h[0], &dnext[0], len(h))
}

func (k Impl) gruGatesBackward(dh, r, drh, h []float32) {
	if k.isa != isaNEON {
		gruGatesBackwardGo(dh, r, drh, h)
		return
	}
	neon.GRUGatesBackward(&dh[0], &r[0], &drh[0], &h[0], len(h))
}

func (k Impl) maxout(dst, src []float32) {
	if k.isa != isaNEON {
		maxoutGo(dst, src)
		return
	}
	neon.Maxout(&dst[0], &src[0], len(dst))
}

func (k Impl) maxoutBackward(src, ddst []float32) {
	if k.isa != isaNEON {
		maxoutBackwardGo(src, ddst)
		return
	}
	neon.MaxoutBackward(&src[0], &ddst[0], len(ddst))
}

func (k Impl) adadelta(a Adadelta, x, g, g2, dx2 []float32) {
	if k.isa != isaNEON {
		adadeltaGo(a, x, g, g2, dx2)
		return
	}
	neon.Adadelta(&x[0], &g[0], &g2[0], &dx2[0], len(x), a.Rho, 1-a.Rho, a.Epsilon, a.Scale)
}

func (k Impl) adam(a Adam, x, g, m, v []float32) {
	if k.isa != isaNEON {
		adamGo(a, x, g, m, v)
		return
	}
	neon.Adam(&x[0], &g[0], &m[0], &v[0], len(x), a.Beta1, 1-a.Beta1, a.Beta2, 1-a.Beta2, a.Epsilon, a.Rate, a.Scale)
}

func (k Impl) movingAverage(average, x []float32, rate float32) {
	if k.isa != isaNEON {
		movingAverageGo(average, x, rate)
		return
	}
	neon.MovingAverage(&average[0], &x[0], len(x), rate)
}

func (k Impl) decay(x []float32, rho float32, steps int) {
	if k.isa != isaNEON {
		decayGo(x, rho, steps)
		return
	}
	neon.Decay(&x[0], len(x), steps, rho)
}

func (k Impl) maxBits(x []float32) uint32 {
	if k.isa != isaNEON {
		return maxBitsGo(x)
	}
	return uint32(neon.MaxBits(&x[0], len(x)))
}

func (k Impl) quantize(q []int8, x []float32, scale float32) (sum int32) {
	if k.isa != isaNEON {
		return quantizeGo(q, x, scale)
	}
	return neon.Quantize(&q[0], &x[0], len(x), scale)
}

func (k Impl) scaleInt8(y []float32, q []int8, scale float32) {
	if k.isa != isaNEON {
		scaleInt8Go(y, q, scale)
		return
	}
	neon.ScaleInt8(&y[0], &q[0], len(y), scale)
}

func (k Impl) dequantize(d *dequantization) {
	if k.isa != isaNEON {
		dequantizeGo(d)
		return
	}
	neon.Dequantize(&d.y[0], d.stride, &d.acc[0], d.ld, d.rows, d.cols, &d.rowScales[0], &d.scales[0], &d.start[0], d.startStride, int(d.act))
}

// dotProducts reports whether this processor has SDOT (FEAT_DotProd).
var dotProducts = cpuid.CPU.Supports(cpuid.ASIMDDP)

func (k Impl) tilePanelsInt8() int { return 1 }

func (k Impl) widensInt8() bool { return false }

func (k Impl) tileInt8(t *tileInt8) {
	if dotProducts {
		k.tileInt8Dot(t)
		return
	}
	k.tileInt8Long(t)
}

func (k Impl) tileInt8Dot(t *tileInt8) {
	if k.isa != isaNEON {
		tileInt8Go(t)
		return
	}
	neon.GemmInt8Dot(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, t.exactStarts())
}

func (k Impl) tileInt8Long(t *tileInt8) {
	if k.isa != isaNEON {
		tileInt8Go(t)
		return
	}
	neon.GemmInt8(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, t.exactStarts())
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
	if dotProducts {
		k.gemvInt8Dot(v)
		return
	}
	k.gemvInt8Long(v)
}

func (k Impl) gemvInt8Dot(v *vectorInt8) {
	if k.isa != isaNEON {
		gemvInt8Go(v)
		return
	}
	neon.GemvInt8Dot(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, 0)
}

func (k Impl) gemvInt8Long(v *vectorInt8) {
	if k.isa != isaNEON {
		gemvInt8Go(v)
		return
	}
	neon.GemvInt8(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, 0)
}

func (k Impl) dotInt8(x, y []int8) int32 {
	if k.isa != isaNEON {
		return dotInt8Go(x, y)
	}
	return neon.DotInt8(&x[0], &y[0], len(x))
}

func (k Impl) widensBF16() bool                               { return false }
func (k Impl) widenBF16(dst, src []uint32)                    { widenBF16Go(dst, src) }
func (k Impl) gatherWidened(dst, src []uint32, stride, n int) { gatherWidenedGo(dst, src, stride, n) }

func (k Impl) tilePanelsBF16() int { return 1 }

// bf16Long reports whether this processor has BFMLALT and BFMLALB (FEAT_BF16).
var bf16Long = cpuid.CPU.Supports(cpuid.BF16)

func (k Impl) tileBF16(t *tileBF16) {
	if bf16Long {
		k.tileBF16Long(t)
		return
	}
	k.tileBF16Widened(t)
}

func (k Impl) tileBF16Long(t *tileBF16) {
	if k.isa != isaNEON || t.blocks == 0 {
		tileBF16Go(t)
		return
	}
	add, bias := t.start()
	neon.GemmBF16Long(&t.c[0], t.ldc, t.next, t.rows, &t.x[0], t.xRow, t.xCol, &t.w[0], t.stride, t.blocks, add, bias, int(t.act))
}

func (k Impl) tileBF16Widened(t *tileBF16) {
	if k.isa != isaNEON || t.blocks == 0 {
		tileBF16Go(t)
		return
	}
	add, bias := t.start()
	neon.GemmBF16(&t.c[0], t.ldc, t.next, t.rows, &t.x[0], t.xRow, t.xCol, &t.w[0], t.stride, t.blocks, add, bias, int(t.act))
}

func (k Impl) gatherBF16(dst, src []uint32, stride, quads int) {
	if k.isa != isaNEON {
		gatherBF16Go(dst, src, stride, quads)
		return
	}
	neon.GatherBF16(&dst[0], &src[0], stride, quads)
}

func (k Impl) roundBF16(dst []uint32, src []float32) {
	if k.isa != isaNEON {
		roundBF16Go(dst, src)
		return
	}
	neon.RoundBF16(&dst[0], &src[0], len(src)/bf16Block)
}

func (k Impl) roundPanelBF16(dst []uint32, src []float32) {
	if k.isa != isaNEON {
		roundPanelBF16Go(dst, src)
		return
	}
	neon.RoundPanelBF16(&dst[0], &src[0], len(src)/(4*panel))
}

// Products of bfloat16 on tiles: only amd64 has AMX.

func (k Impl) amxPanels(*productBF16, int, int) bool                   { return false }
func (k Impl) amxColumns([]uint32)                                     {}
func (k Impl) amxGradPanels(Packed, RowsBF16, []uint32, int, int) bool { return false }
