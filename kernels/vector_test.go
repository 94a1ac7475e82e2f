package kernels

import "testing"

// TestMul has each product rounded once, also where the result replaces a factor.
func TestMul(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{0, 1, 7, 17, 67, block + 3} {
			r := newRand(uint64(n))
			x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
			each(special)(r, x)
			each(special)(r, y)
			for i, v := range x {
				want[i] = float32(float64(v) * float64(y[i]))
			}
			dst := make([]float32, n)
			k.Mul(dst, x, y)
			overX, overY := append([]float32(nil), x...), append([]float32(nil), y...)
			k.Mul(overX, overX, y)
			k.Mul(overY, x, overY)
			for _, got := range [][]float32{dst, overX, overY} {
				if i := differs(got, want); i >= 0 {
					t.Fatalf("%s n=%d: %g·%g = %g, want %g", k, n, x[i], y[i], got[i], want[i])
				}
			}
		}
	})
}
