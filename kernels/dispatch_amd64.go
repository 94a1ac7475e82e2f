//go:build !purego && !noasm

package kernels

import (
	"slices"
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"github.com/softsearch-go/softsearch/asm/avx2"
	"github.com/softsearch-go/softsearch/asm/avx512"
	"github.com/softsearch-go/softsearch/asm/avx512bf16"
	"github.com/softsearch-go/softsearch/asm/avx512vnni"
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
	case t.few && t.panels > 1:
		avx512.GemmWideFew(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.depth, ahead, t.step, start, int(t.act))
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
	case isaAVX512, isaAVX2:
		avx2.Transpose(&dst[0], dstStride, &src[0], srcStride)
	default:
		transposeGo(dst, dstStride, src, srcStride)
	}
}

func (k Impl) exp(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Exp(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.Exp(&dst[0], &src[0], len(src))
	default:
		expGo(dst, src)
	}
}

func (k Impl) tanh(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Tanh(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.Tanh(&dst[0], &src[0], len(src))
	default:
		tanhGo(dst, src)
	}
}

func (k Impl) sigmoid(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Sigmoid(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.Sigmoid(&dst[0], &src[0], len(src))
	default:
		sigmoidGo(dst, src)
	}
}

func (k Impl) relu(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.ReLU(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.ReLU(&dst[0], &src[0], len(src))
	default:
		reluGo(dst, src)
	}
}

func (k Impl) gelu(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.GELU(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.GELU(&dst[0], &src[0], len(src))
	default:
		geluGo(dst, src)
	}
}

func (k Impl) tanhBackward(dx, y, dy []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.TanhBackward(&dx[0], &y[0], &dy[0], len(y))
	case isaAVX2:
		avx2.TanhBackward(&dx[0], &y[0], &dy[0], len(y))
	default:
		tanhBackwardGo(dx, y, dy)
	}
}

func (k Impl) add(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Add(&dst[0], &src[0], len(src))
	case isaAVX2:
		avx2.Add(&dst[0], &src[0], len(src))
	default:
		addGo(dst, src)
	}
}

func (k Impl) mul(dst, x, y []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Mul(&dst[0], &x[0], &y[0], len(dst))
	case isaAVX2:
		avx2.Mul(&dst[0], &x[0], &y[0], len(dst))
	default:
		mulGo(dst, x, y)
	}
}

func (k Impl) scale(x []float32, a float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Scale(&x[0], len(x), a)
	case isaAVX2:
		avx2.Scale(&x[0], len(x), a)
	default:
		scaleGo(x, a)
	}
}

func (k Impl) dot(x, y []float32) float32 {
	switch k.isa {
	case isaAVX512:
		return avx512.Dot(&x[0], &y[0], len(x))
	case isaAVX2:
		return avx2.Dot(&x[0], &y[0], len(x))
	default:
		return dotGo(x, y)
	}
}

func (k Impl) max(x []float32) float32 {
	switch k.isa {
	case isaAVX512:
		return avx512.Max(&x[0], len(x))
	case isaAVX2:
		return avx2.Max(&x[0], len(x))
	default:
		return maxGo(x)
	}
}

func (k Impl) expSum(dst, src []float32, m float32) float32 {
	switch k.isa {
	case isaAVX512:
		return avx512.ExpSum(&dst[0], &src[0], len(src), m)
	case isaAVX2:
		return avx2.ExpSum(&dst[0], &src[0], len(src), m)
	default:
		return expSumGo(dst, src, m)
	}
}

func (k Impl) sumExp(x []float32, m float32) float32 {
	switch k.isa {
	case isaAVX512:
		return avx512.SumExp(&x[0], len(x), m)
	case isaAVX2:
		return avx2.SumExp(&x[0], len(x), m)
	default:
		return sumExpGo(x, m)
	}
}

func (k Impl) softmaxGradient(dx, y, dy []float32, sum float32) {
	switch k.isa {
	case isaAVX512:
		avx512.SoftmaxGradient(&dx[0], &y[0], &dy[0], len(y), sum)
	case isaAVX2:
		avx2.SoftmaxGradient(&dx[0], &y[0], &dy[0], len(y), sum)
	default:
		softmaxGradientGo(dx, y, dy, sum)
	}
}

func (k Impl) scores(e, q []float32, keys Matrix, v []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Scores(&e[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v))
	case isaAVX2:
		avx2.Scores(&e[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v))
	default:
		scoresGo(e, q, keys, v)
	}
}

func (k Impl) scoresBackward(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.ScoresBackward(&dq[0], &dkeys.Data[0], &dv[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v), &de[0])
	case isaAVX2:
		avx2.ScoresBackward(&dq[0], &dkeys.Data[0], &dv[0], &q[0], &keys.Data[0], keys.Stride, keys.Rows, &v[0], len(v), &de[0])
	default:
		scoresBackwardGo(dq, dkeys, dv, q, keys, v, de)
	}
}

func (k Impl) weightedSum(dst, a []float32, rows Matrix) {
	switch k.isa {
	case isaAVX512:
		avx512.WeightedSum(&dst[0], len(dst), &a[0], &rows.Data[0], rows.Stride, rows.Rows)
	case isaAVX2:
		avx2.WeightedSum(&dst[0], len(dst), &a[0], &rows.Data[0], rows.Stride, rows.Rows)
	default:
		weightedSumGo(dst, a, rows)
	}
}

func (k Impl) gruGates(z, r, rh, h []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.GRUGates(&z[0], &r[0], &rh[0], &h[0], len(h))
	case isaAVX2:
		avx2.GRUGates(&z[0], &r[0], &rh[0], &h[0], len(h))
	default:
		gruGatesGo(z, r, rh, h)
	}
}

func (k Impl) gruState(next, candidate, z, h []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.GRUState(&next[0], &candidate[0], &z[0], &h[0], len(h))
	case isaAVX2:
		avx2.GRUState(&next[0], &candidate[0], &z[0], &h[0], len(h))
	default:
		gruStateGo(next, candidate, z, h)
	}
}

func (k Impl) gruStateBackward(dh, candidate, z, h, dnext []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.GRUStateBackward(&dh[0], &candidate[0], &z[0], &h[0], &dnext[0], len(h))
	case isaAVX2:
		avx2.GRUStateBackward(&dh[0], &candidate[0], &z[0], &h[0], &dnext[0], len(h))
	default:
		gruStateBackwardGo(dh, candidate, z, h, dnext)
	}
}

func (k Impl) gruGatesBackward(dh, r, drh, h []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.GRUGatesBackward(&dh[0], &r[0], &drh[0], &h[0], len(h))
	case isaAVX2:
		avx2.GRUGatesBackward(&dh[0], &r[0], &drh[0], &h[0], len(h))
	default:
		gruGatesBackwardGo(dh, r, drh, h)
	}
}

func (k Impl) maxout(dst, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Maxout(&dst[0], &src[0], len(dst))
	case isaAVX2:
		avx2.Maxout(&dst[0], &src[0], len(dst))
	default:
		maxoutGo(dst, src)
	}
}

func (k Impl) maxoutBackward(src, ddst []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.MaxoutBackward(&src[0], &ddst[0], len(ddst))
	case isaAVX2:
		avx2.MaxoutBackward(&src[0], &ddst[0], len(ddst))
	default:
		maxoutBackwardGo(src, ddst)
	}
}

func (k Impl) adadelta(a Adadelta, x, g, g2, dx2 []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Adadelta(&x[0], &g[0], &g2[0], &dx2[0], len(x), a.Rho, 1-a.Rho, a.Epsilon, a.Scale)
	case isaAVX2:
		avx2.Adadelta(&x[0], &g[0], &g2[0], &dx2[0], len(x), a.Rho, 1-a.Rho, a.Epsilon, a.Scale)
	default:
		adadeltaGo(a, x, g, g2, dx2)
	}
}

func (k Impl) adam(a Adam, x, g, m, v []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.Adam(&x[0], &g[0], &m[0], &v[0], len(x), a.Beta1, 1-a.Beta1, a.Beta2, 1-a.Beta2, a.Epsilon, a.Rate, a.Scale)
	case isaAVX2:
		avx2.Adam(&x[0], &g[0], &m[0], &v[0], len(x), a.Beta1, 1-a.Beta1, a.Beta2, 1-a.Beta2, a.Epsilon, a.Rate, a.Scale)
	default:
		adamGo(a, x, g, m, v)
	}
}

func (k Impl) movingAverage(average, x []float32, rate float32) {
	switch k.isa {
	case isaAVX512, isaAVX2:
		avx2.MovingAverage(&average[0], &x[0], len(x), rate)
	default:
		movingAverageGo(average, x, rate)
	}
}

func (k Impl) decay(x []float32, rho float32, steps int) {
	switch k.isa {
	case isaAVX512:
		avx512.Decay(&x[0], len(x), steps, rho)
	case isaAVX2:
		avx2.Decay(&x[0], len(x), steps, rho)
	default:
		decayGo(x, rho, steps)
	}
}

func (k Impl) maxBits(x []float32) uint32 {
	switch k.isa {
	case isaAVX512:
		return uint32(avx512.MaxBits(&x[0], len(x)))
	case isaAVX2:
		return uint32(avx2.MaxBits(&x[0], len(x)))
	default:
		return maxBitsGo(x)
	}
}

func (k Impl) quantize(q []int8, x []float32, scale float32) (sum int32) {
	switch k.isa {
	case isaAVX512:
		return avx512.Quantize(&q[0], &x[0], len(x), scale)
	case isaAVX2:
		return avx2.Quantize(&q[0], &x[0], len(x), scale)
	default:
		return quantizeGo(q, x, scale)
	}
}

func (k Impl) scaleInt8(y []float32, q []int8, scale float32) {
	switch k.isa {
	case isaAVX512:
		avx512.ScaleInt8(&y[0], &q[0], len(y), scale)
	case isaAVX2:
		avx2.ScaleInt8(&y[0], &q[0], len(y), scale)
	default:
		scaleInt8Go(y, q, scale)
	}
}

func (k Impl) dequantize(d *dequantization) {
	y, acc, rowScales, scales, start := &d.y[0], &d.acc[0], &d.rowScales[0], &d.scales[0], &d.start[0]
	switch k.isa {
	case isaAVX512:
		avx512.Dequantize(y, d.stride, acc, d.ld, d.rows, d.cols, rowScales, scales, start, d.startStride, int(d.act))
	case isaAVX2:
		avx2.Dequantize(y, d.stride, acc, d.ld, d.rows, d.cols, rowScales, scales, start, d.startStride, int(d.act))
	default:
		dequantizeGo(d)
	}
}

// nativeInt8 returns the instruction sets that products of int8 need beyond those of native.
func nativeInt8() (list []isa) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512VNNI) {
		list = append(list, isaAVX512VNNI)
	}
	return list
}

// vnni reports whether this processor has VPDPBUSD.
var vnni = len(nativeInt8()) > 0

// int8ISA returns the instruction set of products of int8. Every processor with AVX-512 has AVX2.
func (k Impl) int8ISA() isa {
	switch {
	case k.isa == isaAVX512 && vnni:
		return isaAVX512VNNI
	case k.isa == isaAVX512:
		return isaAVX2
	}
	return k.isa
}

func (k Impl) tilePanelsInt8() int {
	if k.int8ISA() == isaGo {
		return 1
	}
	return maxTilePanels
}

// widensInt8 reports whether products need scratch for int16.
func (k Impl) widensInt8() bool { return k.int8ISA() == isaAVX2 }

func (k Impl) tileInt8(t *tileInt8) {
	switch k.int8ISA() {
	case isaAVX512VNNI:
		var starts *int32
		if t.starts != nil {
			starts = &t.starts[0]
		}
		if t.panels == maxTilePanels {
			avx512vnni.GemmWideInt8(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, starts)
			return
		}
		avx512vnni.GemmInt8(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, starts)
	case isaAVX2:
		add := 0
		if t.starts == nil {
			add = 1
		}
		avx2.GemmInt8(&t.acc[0], t.rows, &t.x[0], t.xStride, &t.w[0], t.stride, t.quads, t.panels, add, &t.wide[0])
	default:
		tileInt8Go(t)
	}
}

func (k Impl) gemvInt8(v *vectorInt8) {
	switch k.int8ISA() {
	case isaAVX512VNNI:
		avx512vnni.GemvInt8(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, v.start)
	case isaAVX2:
		avx2.GemvInt8(&v.acc[0], &v.x[0], &v.w[0], v.stride, v.quads, v.panels, &v.wide[0])
	default:
		gemvInt8Go(v)
	}
}

func (k Impl) dotInt8(x, y []int8) int32 {
	switch k.int8ISA() {
	case isaAVX512VNNI:
		return avx512vnni.DotInt8(&x[0], &y[0], len(x))
	case isaAVX2:
		return avx2.DotInt8(&x[0], &y[0], len(x))
	default:
		return dotInt8Go(x, y)
	}
}

// nativeBF16 returns the instruction sets that products of bfloat16 need beyond those of native.
func nativeBF16() (list []isa) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AMXTILE, cpuid.AMXBF16) {
		list = append(list, isaAMXBF16)
	}
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512BF16) {
		list = append(list, isaAVX512BF16)
	}
	return list
}

// bf16Pairs reports whether this processor has VDPBF16PS.
var bf16Pairs = slices.Contains(nativeBF16(), isaAVX512BF16)

// bf16ISA returns the instruction set of products of bfloat16.
func (k Impl) bf16ISA() isa {
	if k.isa == isaAVX512 && bf16Pairs {
		return isaAVX512BF16
	}
	return k.isa
}

func (k Impl) tilePanelsBF16() int { return k.tilePanels() }

func (k Impl) tileBF16(t *tileBF16) {
	if k.isa == isaGo || t.blocks == 0 {
		tileBF16Go(t)
		return
	}
	c, x, w, act := &t.c[0], &t.x[0], &t.w[0], int(t.act)
	add, bias := t.start()
	switch isa := k.bf16ISA(); {
	case isa == isaAVX512BF16 && t.panels > 1:
		avx512bf16.GemmWideBF16Pairs(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.blocks, add, bias, act)
	case isa == isaAVX512BF16:
		avx512bf16.GemmBF16Pairs(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.blocks, add, bias, act)
	default:
		k.tileWidened(t)
	}
}

func (k Impl) tileWidened(t *tileBF16) {
	c, x, w, act := &t.c[0], (*float32)(unsafe.Pointer(&t.x[0])), &t.w[0], int(t.act)
	add, bias := t.start()
	switch {
	case t.panels > 1:
		avx512.GemmWideWidened(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.blocks, add, bias, act)
	case k.isa == isaAVX512:
		avx512.GemmWidened(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.blocks, add, bias, act)
	default:
		avx2.GemmWidened(c, t.ldc, t.next, t.rows, x, t.xRow, t.xCol, w, t.stride, t.blocks, add, bias, act)
	}
}

// widensBF16 reports whether products need scratch for float32.
func (k Impl) widensBF16() bool { return k.isa != isaGo && k.bf16ISA() != isaAVX512BF16 }

func (k Impl) widenBF16(dst, src []uint32) {
	to, blocks := (*float32)(unsafe.Pointer(&dst[0])), len(src)/bf16Words
	switch k.isa {
	case isaAVX512:
		avx512.WidenBF16(to, &src[0], blocks)
	case isaAVX2:
		avx2.WidenBF16(to, &src[0], blocks)
	default:
		widenBF16Go(dst, src)
	}
}

func (k Impl) gatherWidened(dst, src []uint32, stride, rows int) {
	to := (*float32)(unsafe.Pointer(&dst[0]))
	switch k.isa {
	case isaAVX512:
		avx512.GatherWidened(to, &src[0], stride, rows)
	case isaAVX2:
		avx2.GatherWidened(to, &src[0], stride, rows)
	default:
		gatherWidenedGo(dst, src, stride, rows)
	}
}

func (k Impl) gatherBF16(dst, src []uint32, stride, quads int) {
	switch k.isa {
	case isaAVX512:
		avx512.GatherBF16(&dst[0], &src[0], stride, quads)
	case isaAVX2:
		avx2.GatherBF16(&dst[0], &src[0], stride, quads)
	default:
		gatherBF16Go(dst, src, stride, quads)
	}
}

func (k Impl) roundBF16(dst []uint32, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.RoundBF16(&dst[0], &src[0], len(src)/bf16Block)
	case isaAVX2:
		avx2.RoundBF16(&dst[0], &src[0], len(src)/bf16Block)
	default:
		roundBF16Go(dst, src)
	}
}

func (k Impl) roundPanelBF16(dst []uint32, src []float32) {
	switch k.isa {
	case isaAVX512:
		avx512.RoundPanelBF16(&dst[0], &src[0], len(src)/(4*panel))
	case isaAVX2:
		avx2.RoundPanelBF16(&dst[0], &src[0], len(src)/(4*panel))
	default:
		roundPanelBF16Go(dst, src)
	}
}
