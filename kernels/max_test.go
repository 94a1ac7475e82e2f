package kernels

import (
	"slices"
	"testing"
)

// TestMax has the largest element at every place of short rows and about the border of the
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
