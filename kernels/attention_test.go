package kernels

import (
	"math"
	"testing"
)

// An alignment is the operands of the additive model in float64.
type alignment struct {
	rows, cols int
	q, keys, v []float64
}

func (a alignment) scores() []float64 {
	e := make([]float64, a.rows)
	for j := range e {
		for i := range a.cols {
			e[j] += a.v[i] * math.Tanh(a.q[i]+a.keys[j*a.cols+i])
		}
	}
	return e
}

// loss is Σ_j de[j]·e[j], whose slopes are the gradients for the gradient de of e.
func (a alignment) loss(de []float32) func() float64 {
	return func() (sum float64) {
		for j, e := range a.scores() {
			sum += float64(de[j]) * e
		}
		return sum
	}
}

// size returns Σ|x|.
func size(x []float32) (sum float64) {
	for _, v := range x {
		sum += math.Abs(float64(v))
	}
	return sum
}

var attentionShapes = [][2]int{{0, 4}, {3, 0}, {1, 1}, {2, 7}, {5, 16}, {4, 17}, {3, 67}, {20, 33}, {40, 500}}

func TestScores(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range attentionShapes {
			rows, cols := s[0], s[1]
			r := newRand(uint64(cols))
			q, keys, v := random(r, cols), random(r, rows*cols), random(r, cols)
			e := make([]float32, rows)
			k.Scores(e, q, View(keys, rows, cols), v)
			want := alignment{rows, cols, wider(q), wider(keys), wider(v)}.scores()
			// Each term: the sum q + keys, of at most 10, to within 8·2⁻²⁴, tanh to 1.5 ULP;
			// then a lane of n/16 terms and 4 additions of the tree.
			near(t, "Scores", k, e, want, (8+1.5+float64(cols/16+1)+4)*0x1p-24*size(v))
		}
	})
}

func TestScoresBackward(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range attentionShapes[:7] {
			rows, cols := s[0], s[1]
			r := newRand(uint64(cols))
			q, keys, v, de := random(r, cols), random(r, rows*cols), random(r, cols), random(r, rows)
			dq, dkeys, dv := random(r, cols), random(r, rows*cols), random(r, cols)
			wantQ, wantKeys, wantV := wider(dq), wider(dkeys), wider(dv)
			a := alignment{rows, cols, wider(q), wider(keys), wider(v)}
			loss := a.loss(de)
			for i := range wantQ {
				wantQ[i] += slope(loss, &a.q[i])
				wantV[i] += slope(loss, &a.v[i])
			}
			for i := range wantKeys {
				wantKeys[i] += slope(loss, &a.keys[i])
			}
			k.ScoresBackward(dq, View(dkeys, rows, cols), dv, q, View(keys, rows, cols), v, de)
			// Up to 5 terms of at most 10, each with the errors of TestScores, twice that of
			// tanh in 1-u², and the error of slope, about 1e-9 for losses of order 100.
			const tolerance = 5*10*(8+3+4)*0x1p-24 + 1e-8
			near(t, "ScoresBackward dq", k, dq, wantQ, tolerance)
			near(t, "ScoresBackward dv", k, dv, wantV, tolerance)
			near(t, "ScoresBackward dkeys", k, dkeys, wantKeys, tolerance)
		}
	})
}

func TestWeightedSum(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range attentionShapes {
			rows, cols := s[0], s[1]
			r := newRand(uint64(cols))
			a, m, dst := random(r, rows), View(random(r, rows*cols), rows, cols), random(r, cols)
			k.WeightedSum(dst, a, m)
			for i, got := range dst {
				column := make([]float32, rows)
				chain := float32(0)
				for j, w := range a {
					column[j] = m.Row(j)[i]
					chain = exactFMA(w, column[j], chain)
				}
				want, bound := gemm64(0, a, column, Identity)
				if !(math.Abs(float64(got)-want) <= bound) || got != chain {
					t.Fatalf("%s WeightedSum rows=%d cols=%d [%d] = %g, want %g, as a chain %g", k, rows, cols, i, got, want, chain)
				}
			}
		}
	})
}

func TestContextBackward(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range attentionShapes[:7] {
			rows, cols := s[0], s[1]
			r := newRand(uint64(cols))
			a, m, dc := random(r, rows), random(r, rows*cols), random(r, cols)
			da, drows := random(r, rows), random(r, rows*cols)
			wideA, wideM := wider(a), wider(m)
			loss := func() (sum float64) { // Σ_i dc[i]·Σ_j a[j]·rows[j][i]
				for i, d := range dc {
					for j, w := range wideA {
						sum += float64(d) * w * wideM[j*cols+i]
					}
				}
				return sum
			}
			wantA, wantRows := make([]float64, rows), wider(drows) // da is set, drows added to
			for j := range wantA {
				wantA[j] = slope(loss, &wideA[j])
			}
			for i := range wantRows {
				wantRows[i] += slope(loss, &wideM[i])
			}
			k.ContextBackward(da, View(drows, rows, cols), a, View(m, rows, cols), dc)
			// At most 67 products of at most 10, of which a lane adds 5 and the tree 16; and
			// the error of slope, about 1e-9 for losses of order 100.
			near(t, "ContextBackward da", k, da, wantA, 9*0x1p-24*10*67+1e-8)
			near(t, "ContextBackward drows", k, drows, wantRows, 20*0x1p-24+1e-8)
		}
	})
}

// TestAttentionRows computes every row alone: it does not depend on the rows beside it.
func TestAttentionRows(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range [][2]int{{attentionRows + 40, 3}, {90, 400}, {5, block}, {3, block + 5}} { // several calls each
			rows, cols := s[0], s[1]
			r := newRand(1)
			q, keys, v := random(r, cols), View(random(r, rows*cols), rows, cols), random(r, cols)
			e, one := make([]float32, rows), make([]float32, 1)
			k.Scores(e, q, keys, v)
			de := random(r, rows)
			da, drows := make([]float32, rows), View(make([]float32, rows*cols), rows, cols)
			k.ContextBackward(da, drows, de, keys, q)
			for j := range rows {
				k.Scores(one, q, keys.Slice(j, j+1), v)
				if !same(one[0], e[j]) {
					t.Fatalf("%s Scores cols=%d row %d alone = %g, want %g", k, cols, j, one[0], e[j])
				}
				drow := View(make([]float32, cols), 1, cols)
				k.ContextBackward(one, drow, de[j:j+1], keys.Slice(j, j+1), q)
				if i := differs(drow.Data, drows.Row(j)); i >= 0 || !same(one[0], da[j]) {
					t.Fatalf("%s ContextBackward cols=%d row %d alone: da %g, want %g, drows differs at %d", k, cols, j, one[0], da[j], i)
				}
			}
		}
	})
}
