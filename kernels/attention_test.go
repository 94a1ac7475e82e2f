package kernels

import (
	"math"
	"slices"
	"testing"
)

// An alignment holds the operands of the additive alignment model in float64.
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

// loss returns the function Σ_j de[j]·e[j], whose derivatives are the gradients if de is the gradient of e.
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
			// Per term: 8·2⁻²⁴ for the sum q + keys, below 10, and 1.5 ULP for tanh. Then a lane
			// adds n/16 terms and the tree 4.
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
			// Up to 5 terms below 10 with the errors of TestScores, twice the error of tanh in 1-u²,
			// and the error of slope, about 1e-9 for losses around 100.
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
			a, m, start, dst := random(r, rows), View(random(r, rows*cols), rows, cols), random(r, cols), random(r, cols)
			added := slices.Clone(start)
			k.WeightedSum(dst, a, m)
			k.WeightedSumAdd(added, a, m)
			for i := range dst {
				for _, c := range []struct {
					name       string
					start, got float32
				}{{"WeightedSum", 0, dst[i]}, {"WeightedSumAdd", start[i], added[i]}} {
					want := c.start
					for j, w := range a {
						want = exactFMA(w, m.Row(j)[i], want)
					}
					if c.got != want {
						t.Fatalf("%s %s rows=%d cols=%d [%d] = %b, want %b", k, c.name, rows, cols, i, c.got, want)
					}
				}
			}
		}
	})
}

// TestRowDots compares with the gradient of Σ_i x[i]·Σ_j a[j]·rows[j][i] with respect to a.
func TestRowDots(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range attentionShapes[:7] {
			rows, cols := s[0], s[1]
			r := newRand(uint64(cols))
			a, m, x, dots := wider(random(r, rows)), random(r, rows*cols), random(r, cols), random(r, rows)
			loss := func() (sum float64) {
				for i, d := range x {
					for j, w := range a {
						sum += float64(d) * w * float64(m[j*cols+i])
					}
				}
				return sum
			}
			want := make([]float64, rows)
			for j := range want {
				want[j] = slope(loss, &a[j])
			}
			k.RowDots(dots, View(m, rows, cols), x)
			// At most 67 products below 10, of which a lane adds 5 and the tree 16, and the error
			// of slope, about 1e-9 for losses around 100.
			near(t, "RowDots", k, dots, want, 9*0x1p-24*10*67+1e-8)
		}
	})
}

// TestAttentionRows computes every row alone: its result does not depend on the other rows.
func TestAttentionRows(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range [][2]int{{attentionRows + 40, 3}, {90, 400}, {5, block}, {3, block + 5}} { // several calls each
			rows, cols := s[0], s[1]
			r := newRand(1)
			q, keys, v := random(r, cols), View(random(r, rows*cols), rows, cols), random(r, cols)
			e, one := make([]float32, rows), make([]float32, 1)
			k.Scores(e, q, keys, v)
			dots := make([]float32, rows)
			k.RowDots(dots, keys, q)
			for j := range rows {
				k.Scores(one, q, keys.Slice(j, j+1), v)
				if !same(one[0], e[j]) {
					t.Fatalf("%s Scores cols=%d row %d alone = %g, want %g", k, cols, j, one[0], e[j])
				}
				k.RowDots(one, keys.Slice(j, j+1), q)
				if !same(one[0], dots[j]) {
					t.Fatalf("%s RowDots cols=%d row %d alone = %g, want %g", k, cols, j, one[0], dots[j])
				}
			}
		}
	})
}

// TestAttentionColumns computes ranges of columns alone: results that are not sums over columns keep
// their bits.
func TestAttentionColumns(t *testing.T) {
	const rows, cols = 7, 2*block + 37
	r := newRand(2)
	q, v, de := random(r, cols), random(r, cols), random(r, rows)
	keys := View(random(r, rows*cols), rows, cols)
	dq, dv, start := random(r, cols), random(r, cols), random(r, rows*cols)
	// all returns dkeys, then as one row each: dq, dv, the weighted sum, set and added, and the sum
	// of rows.
	all := func(k Impl, from, to int) []Matrix {
		part := func(x []float32) []float32 { return slices.Clone(x[from:to]) }
		m := keys.Columns(from, to)
		dkeys := View(slices.Clone(start), rows, cols).Columns(from, to)
		dq, dv, context, added, sum := part(dq), part(dv), part(q), part(q), part(q)
		k.ScoresBackward(dq, dkeys, dv, part(q), m, part(v), de)
		k.WeightedSum(context, de, m)
		k.WeightedSumAdd(added, de, m)
		k.SumRows(sum, m)
		list := []Matrix{dkeys}
		for _, x := range [][]float32{dq, dv, context, added, sum} {
			list = append(list, View(x, 1, to-from))
		}
		return list
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		whole := all(k, 0, cols)
		for _, s := range [][2]int{{0, 1}, {0, block}, {5, 2*block - 7}, {block - 1, block + 1}, {2 * block, cols}} {
			for i, m := range all(k, s[0], s[1]) {
				for j := range m.Rows {
					if at := differs(m.Row(j), whole[i].Row(j)[s[0]:s[1]]); at >= 0 {
						t.Fatalf("%s columns %d to %d alone: result %d row %d differs at %d", k, s[0], s[1], i, j, at)
					}
				}
			}
		}
	})
}

// TestAttentionOrder checks the order of the sums over columns.
func TestAttentionOrder(t *testing.T) {
	const rows = 2
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, cols := range []int{17, block, block + 1, 2*block + 37} {
			r := newRand(3)
			q, v, keys := random(r, cols), random(r, cols), View(random(r, rows*cols), rows, cols)
			e, dots, u := make([]float32, rows), make([]float32, rows), make([]float32, cols)
			k.Scores(e, q, keys, v)
			k.RowDots(dots, keys, v)
			for j := range rows {
				for i, x := range keys.Row(j) {
					u[i] = tanh(q[i] + x)
				}
				if want := float32(blockedDot(16, v, u)); e[j] != want {
					t.Errorf("%s Scores cols=%d [%d] = %b, want %b", k, cols, j, e[j], want)
				}
				if want := float32(blockedDot(64, v, keys.Row(j))); dots[j] != want {
					t.Errorf("%s RowDots cols=%d [%d] = %b, want %b", k, cols, j, dots[j], want)
				}
			}
		}
	})
}
