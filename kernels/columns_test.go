package kernels

import (
	"slices"
	"testing"
)

// TestAttentionColumns computes columns apart: what is no sum over them stays.
func TestAttentionColumns(t *testing.T) {
	const rows, cols = 7, 2*block + 37
	r := newRand(2)
	q, v, de := random(r, cols), random(r, cols), random(r, rows)
	keys := View(random(r, rows*cols), rows, cols)
	dq, dv, start := random(r, cols), random(r, cols), random(r, rows*cols)
	// all returns dkeys, and a row of dq, dv, the weighted sum, it added and the sum of the rows each.
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

// TestAttentionOrder holds the order of the sums over columns.
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
				if want := blockedDot(v, u); e[j] != want {
					t.Errorf("%s Scores cols=%d [%d] = %b, want %b", k, cols, j, e[j], want)
				}
				if want := blockedDot(v, keys.Row(j)); dots[j] != want {
					t.Errorf("%s RowDots cols=%d [%d] = %b, want %b", k, cols, j, dots[j], want)
				}
			}
		}
	})
}
