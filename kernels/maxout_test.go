package kernels

import (
	"math"
	"testing"
)

func TestMaxout(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			src, ddst, dst := random(r, 2*n), random(r, n), make([]float32, n)
			want, wantBackward := make([]float64, n), make([]float64, 2*n)
			for j := range n {
				pair := []float64{float64(src[2*j]), float64(src[2*j+1])}
				loss := func() float64 { return float64(ddst[j]) * math.Max(pair[0], pair[1]) }
				want[j] = math.Max(pair[0], pair[1])
				larger := 0
				if pair[1] > pair[0] {
					larger = 1
				}
				wantBackward[2*j+larger] = float64(ddst[j])
				if math.Abs(pair[0]-pair[1]) > 1e-4 { // slope does not step over the kink
					for i := range pair {
						// The loss is linear: only the rounding of slope, 1e-16·5/1e-5, is left.
						if s := slope(loss, &pair[i]); !(math.Abs(s-wantBackward[2*j+i]) <= 1e-9) {
							t.Fatalf("n=%d pair %d: slope %g, closed form %g", n, j, s, wantBackward[2*j+i])
						}
					}
				}
			}
			k.MaxoutRows(View(dst, 1, n), View(src, 1, 2*n))
			k.MaxoutBackwardRows(View(src, 1, 2*n), View(ddst, 1, n))
			near(t, "MaxoutRows", k, dst, want, 0)
			near(t, "MaxoutBackwardRows", k, src, wantBackward, 0)
		}
	})
}

// TestMaxoutEqual: the first of two equals counts, also of -0 and +0, and the first of a pair with
// NaN, which is neither larger nor smaller.
func TestMaxoutEqual(t *testing.T) {
	cases := []struct{ first, second, want float32 }{
		{2, 2, 2}, {0, negZero, 0}, {negZero, 0, negZero}, {inf, inf, inf}, {nan, 1, nan}, {1, nan, 1}, {-inf, -inf, -inf},
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range []int{1, 8, 11} {
			for at := range n {
				for _, c := range cases {
					src, dst, ddst := make([]float32, 2*n), make([]float32, n), make([]float32, n)
					src[2*at], src[2*at+1], ddst[at] = c.first, c.second, 3
					k.MaxoutRows(View(dst, 1, n), View(src, 1, 2*n))
					if !same(dst[at], c.want) {
						t.Fatalf("%s MaxoutRows n=%d at %d of %g and %g = %g, want %g", k, n, at, c.first, c.second, dst[at], c.want)
					}
					k.MaxoutBackwardRows(View(src, 1, 2*n), View(ddst, 1, n))
					if src[2*at] != 3 || !same(src[2*at+1], 0) {
						t.Fatalf("%s MaxoutBackwardRows n=%d at %d of %g and %g = %g, want 3 and 0",
							k, n, at, c.first, c.second, src[2*at:2*at+2])
					}
				}
			}
		}
	})
}
