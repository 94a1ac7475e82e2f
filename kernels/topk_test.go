package kernels

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// sorted returns the positions of the elements of x that are not NaN in the order of TopK.
func sorted(x []float32) (indices []int32) {
	for i, v := range x {
		if v == v {
			indices = append(indices, int32(i))
		}
	}
	slices.SortStableFunc(indices, func(a, b int32) int { return cmp.Compare(x[b], x[a]) })
	return indices
}

func TestTopK(t *testing.T) {
	few := func(r *rand.Rand) float32 { return float32(r.IntN(4)) } // many equals
	list := append(fills, fill{"few", each(few)}, fill{"ascending", ascend(1)}, fill{"descending", ascend(-1)})
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, f := range list {
			for _, n := range []int{0, 1, 2, 7, topKBlock - 1, topKBlock, topKBlock + 1, 5*topKBlock + 3} {
				x := make([]float32, n)
				f.set(newRand(uint64(n)), x)
				order := sorted(x)
				for _, size := range []int{0, 1, 2, 3, 10, n / 2, n, n + 3} {
					values, indices := make([]float32, size), make([]int32, size)
					count := k.TopK(values, indices, x)
					if want := min(size, len(order)); count != want {
						t.Fatalf("%s fill %s n=%d k=%d: %d elements, want %d", k, f.name, n, size, count, want)
					}
					for i, want := range order[:count] {
						if indices[i] != want || !same(values[i], x[want]) {
							t.Fatalf("%s fill %s n=%d k=%d: element %d is x[%d] = %g, want x[%d] = %g",
								k, f.name, n, size, i, indices[i], values[i], want, x[want])
						}
					}
				}
			}
		}
	})
}

func ascend(step float32) func(r *rand.Rand, x []float32) {
	return func(_ *rand.Rand, x []float32) {
		for i := range x {
			x[i] = step * float32(i)
		}
	}
}

// TestTopKNaN has a NaN at every position of a block, where Max may miss the only large element.
func TestTopKNaN(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		x := make([]float32, 2*topKBlock)
		for at := range topKBlock {
			for _, large := range []int{0, 1, 17, topKBlock / 2, topKBlock - 1} {
				if at == large {
					continue
				}
				clear(x)
				x[3], x[topKBlock+at], x[topKBlock+large] = 1, nan, 2
				var values [2]float32
				var indices [2]int32
				k.TopK(values[:], indices[:], x)
				if want := [2]int32{int32(topKBlock + large), 3}; indices != want {
					t.Fatalf("%s NaN at %d: found %d, want %d", k, topKBlock+at, indices, want)
				}
			}
		}
	})
}
