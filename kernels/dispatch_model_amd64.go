//go:build !purego && !noasm

package kernels

import (
	"github.com/softsearch-go/softsearch/asm/avx2"
	"github.com/softsearch-go/softsearch/asm/avx512"
)

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

func (k Impl) movingAverage(average, x []float32, rate float32) {
	switch k.isa {
	case isaAVX512:
		avx512.MovingAverage(&average[0], &x[0], len(x), rate)
	case isaAVX2:
		avx2.MovingAverage(&average[0], &x[0], len(x), rate)
	default:
		movingAverageGo(average, x, rate)
	}
}
