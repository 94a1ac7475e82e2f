//go:build !purego && !noasm

package kernels

import "github.com/softsearch-go/softsearch/asm/neon"

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

func (k Impl) decay(x []float32, rho float32, steps int) {
	if k.isa != isaNEON {
		decayGo(x, rho, steps)
		return
	}
	neon.Decay(&x[0], len(x), steps, rho)
}

func (k Impl) movingAverage(average, x []float32, rate float32) {
	if k.isa != isaNEON {
		movingAverageGo(average, x, rate)
		return
	}
	neon.MovingAverage(&average[0], &x[0], len(x), rate)
}
