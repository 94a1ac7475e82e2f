package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestSumRows(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range [][2]int{{0, 3}, {1, 1}, {3, 0}, {5, 100}, {attentionRows - 1, 9}, {attentionRows, 17}, {2*attentionRows + 188, 70}, {9, 2*block + 3}} {
			m, cols := s[0], s[1]
			r := newRand(uint64(m))
			src, dst := View(random(r, m*cols), m, cols), random(r, cols)
			want, exact, size := append([]float32(nil), dst...), wider(dst), make([]float64, cols)
			for i := range m {
				for c, v := range src.Row(i) {
					want[c] += v
					exact[c] += float64(v)
					size[c] += math.Abs(float64(v))
				}
			}
			k.SumRows(dst, src)
			if i := differs(dst, want); i >= 0 {
				t.Fatalf("%s rows=%d cols=%d [%d] = %g, sums in ascending order %g", k, m, cols, i, dst[i], want[i])
			}
			for c, v := range dst {
				// M additions, each within half a unit of a partial sum, which is at most size + |start|.
				if d := math.Abs(float64(v) - exact[c]); d > float64(m)*0x1p-24*(size[c]+4) {
					t.Fatalf("%s rows=%d cols=%d [%d] = %g, want %g", k, m, cols, c, v, exact[c])
				}
			}
		}
	})
}

// TestLayerNorm compares with two passes in float64, for values around 0 and around 1000, of which it takes the
// differences: 2⁻¹⁴ of such a value's spread is lost to the rounding of the values and of their mean.
func TestLayerNorm(t *testing.T) {
	const epsilon = 1e-5
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{1, 2, 15, 16, 17, 300, block + 5} {
			for shift, tolerance := range map[float32]float64{0: 2e-6, 1000: 0x1p-12} {
				r := newRand(uint64(n))
				src, dst, weight, bias := View(random(r, 2*n), 2, n), NewMatrix(2, n), random(r, n), random(r, n)
				for i := range src.Data {
					src.Data[i] += shift
				}
				k.LayerNormRows(dst, src, weight, bias, epsilon)
				for i := range 2 {
					mean, variance, want := 0.0, 0.0, make([]float64, n)
					for _, v := range src.Row(i) {
						mean += float64(v) / float64(n)
					}
					for _, v := range src.Row(i) {
						variance += (float64(v) - mean) * (float64(v) - mean) / float64(n)
					}
					for j, v := range src.Row(i) {
						want[j] = (float64(v)-mean)/math.Sqrt(variance+epsilon)*float64(weight[j]) + float64(bias[j])
					}
					near(t, fmt.Sprintf("LayerNormRows n=%d shift=%g row %d", n, shift, i), k, dst.Row(i), want, 10*tolerance)
				}
			}
		}
		plain, full := NewMatrix(1, 21), NewMatrix(1, 21)
		src := View(random(newRand(1), 21), 1, 21)
		k.LayerNormRows(plain, src, nil, nil, epsilon)
		k.LayerNormRows(full, src, ones[:21], make([]float32, 21), epsilon)
		if i := differs(plain.Data, full.Data); i >= 0 {
			t.Errorf("%s: without weight and bias [%d] = %g, with ones and zeros %g", k, i, plain.Data[i], full.Data[i])
		}
	})
}

// TestGatherScatter looks up rows, one of them twice and one place without a row, and adds them back.
func TestGatherScatter(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		const words, cols = 4, 21
		rows := []int32{3, -1, 0, 3}
		r := newRand(1)
		table, found := View(random(r, words*cols), words, cols), View(random(r, len(rows)*cols), len(rows), cols)
		k.GatherRows(found, table, rows)
		want := slices.Clone(table.Data)
		for i, row := range rows {
			expected := make([]float32, cols)
			if row >= 0 {
				copy(expected, table.Row(int(row)))
				for j, v := range expected {
					want[int(row)*cols+j] += v
				}
			}
			if j := differs(found.Row(i), expected); j >= 0 {
				t.Fatalf("%s GatherRows: row %d [%d] = %g, want %g", k, i, j, found.Row(i)[j], expected[j])
			}
		}
		k.ScatterRows(table, found, rows)
		if i := differs(table.Data, want); i >= 0 {
			t.Errorf("%s ScatterRows: Data[%d] = %g, want %g", k, i, table.Data[i], want[i])
		}
	})
}

// TestRowsAlone compares CrossEntropyRows, SoftmaxRows and AddRows with the kernel of each row.
func TestRowsAlone(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		const rows, cols = 7, 53
		r := newRand(1)
		x := View(random(r, rows*cols), rows, cols)
		x.Row(2)[5], x.Row(3)[0] = inf, nan
		for j := range cols {
			x.Row(4)[j] = -inf
		}
		gradient := View(slices.Clone(x.Data), rows, cols)
		losses, targets := make([]float32, rows), []int32{0, 52, 5, 7, 1, 30, 2}
		k.CrossEntropyRows(losses, gradient, targets)
		softmax, sum, reversed := NewMatrix(rows, cols), View(slices.Clone(x.Data), rows, cols), NewMatrix(rows, cols)
		k.SoftmaxRows(softmax, x)
		k.GatherRows(reversed, x, []int32{6, 5, 4, 3, 2, 1, 0})
		k.AddRows(sum, reversed)
		for i := range rows {
			row := slices.Clone(x.Row(i))
			loss := k.CrossEntropy(row, int(targets[i]))
			if !same(losses[i], loss) || differs(gradient.Row(i), row) >= 0 {
				t.Errorf("%s CrossEntropyRows: row %d has loss %g and gradient %g, want %g and %g", k, i, losses[i], gradient.Row(i), loss, row)
			}
			if k.Softmax(row, x.Row(i)); differs(softmax.Row(i), row) >= 0 {
				t.Errorf("%s SoftmaxRows: row %d is %g, want %g", k, i, softmax.Row(i), row)
			}
			copy(row, x.Row(i))
			if k.Add(row, x.Row(rows-1-i)); differs(sum.Row(i), row) >= 0 {
				t.Errorf("%s AddRows: row %d is %g, want %g", k, i, sum.Row(i), row)
			}
		}
	})
}
