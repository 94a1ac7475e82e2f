package kernels

import (
	"math"
	"slices"
	"testing"
)

// TestSumSquaresOrder checks the order of the additions.
func TestSumSquaresOrder(t *testing.T) {
	x := random(newRand(1), 2*block+137)
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{1, 15, 16, 17, 32, 33, 48, 63, 64, 65, 127, 128, 200, len(x)} {
			if got, want := k.SumSquares(x[:n]), blockedDot(64, x[:n], x); got != want {
				t.Errorf("%s SumSquares n=%d = %b, want %b", k, n, got, want)
			}
		}
	})
}

// TestArithmetic: every result is rounded once, also where it replaces an operand.
func TestArithmetic(t *testing.T) {
	const factor float32 = -0.7
	for name, c := range map[string]struct {
		run  func(k Impl, x, y []float32)
		want func(x, y float32) float32 // a float64 sum or product rounds to float32 correctly
	}{
		"Add":       {Impl.Add, func(x, y float32) float32 { return float32(float64(x) + float64(y)) }},
		"Sub":       {Impl.Sub, func(x, y float32) float32 { return float32(float64(x) - float64(y)) }},
		"AddScaled": {func(k Impl, x, y []float32) { k.AddScaled(x, factor, y) }, func(x, y float32) float32 { return fmaEmulated(factor, y, x) }},
		"Scale":     {func(k Impl, x, _ []float32) { k.Scale(x, factor) }, func(x, _ float32) float32 { return float32(float64(factor) * float64(x)) }},
		"Mul":       {func(k Impl, x, y []float32) { k.Mul(x, x, y) }, func(x, y float32) float32 { return float32(float64(x) * float64(y)) }},
		"Mul into y": {func(k Impl, x, y []float32) { z := slices.Clone(y); k.Mul(z, x, z); copy(x, z) },
			func(x, y float32) float32 { return float32(float64(x) * float64(y)) }},
	} {
		eachImpl(t, func(t *testing.T, k Impl) {
			for _, n := range pointwiseLengths {
				r := newRand(uint64(n))
				x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
				each(rarely)(r, x)
				each(rarely)(r, y)
				for i := range want {
					want[i] = c.want(x[i], y[i])
				}
				c.run(k, x, y)
				if i := differs(x, want); i >= 0 {
					t.Fatalf("%s %s n=%d: [%d] = %g, want %g", k, name, n, i, x[i], want[i])
				}
			}
		})
	}
}

// TestMax has the largest element at every position of short vectors and around the boundary of
// blocks, among others that are equal, smaller or -Inf.
func TestMax(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		if got := k.Max(nil); got != -inf {
			t.Errorf("%s: of nothing: got %g, want -Inf", k, got)
		}
		for n := range 70 {
			checkMax(t, k, random(newRand(uint64(n)), n))
			for at := range n {
				for _, rest := range []float32{-inf, -3, -1, 2} {
					checkMax(t, k, rowWith(n, rest, at, -1))
				}
			}
		}
		for _, at := range []int{0, block - 1, block, 2*block - 1, 2 * block} {
			checkMax(t, k, rowWith(2*block+1, -2, at, -1))
		}
	})
}

func checkMax(t *testing.T, k Impl, x []float32) {
	t.Helper()
	if len(x) == 0 {
		return
	}
	if got, want := k.Max(x), slices.Max(x); got != want {
		t.Errorf("%s: of %d values from %g on: got %g, want %g", k, len(x), x[0], got, want)
	}
}

// TestDot compares with float64, and with RowDots, which has the same bits.
func TestDot(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{0, 1, 16, 17, 1000, block, block + 1, 3*block + 77} {
			r := newRand(uint64(n))
			x, y, rows := random(r, n), random(r, n), make([]float32, 1)
			want, size := 0.0, 0.0
			for i, v := range wider(x) {
				want += v * float64(y[i])
				size += math.Abs(v * float64(y[i]))
			}
			// A lane sums at most 256 terms, the tree 4.
			if got := k.Dot(x, y); !(math.Abs(float64(got)-want) <= 260*0x1p-24*size) {
				t.Errorf("%s Dot n=%d = %g, want %g", k, n, got, want)
			}
			if k.RowDots(rows, View(y, 1, n), x); rows[0] != k.Dot(x, y) {
				t.Errorf("%s n=%d: Dot %g, RowDots %g", k, n, k.Dot(x, y), rows[0])
			}
		}
	})
}

func TestNorm(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range []struct {
			x    []float32
			want float32
		}{
			{nil, 0}, {[]float32{-3, 4}, 5}, {[]float32{0x1p62, 0x1p62}, 0x1.6a09e6p62}, {[]float32{0x1p64}, inf},
			{[]float32{0x1p-76}, 0}, {[]float32{1, nan}, nan}, {[]float32{-inf}, inf},
		} {
			if got := k.Norm(c.x); !same(got, c.want) {
				t.Errorf("%s Norm(%g) = %g, want %g", k, c.x, got, c.want)
			}
		}
	})
}
