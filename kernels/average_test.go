package kernels

import (
	"math"
	"testing"
)

// TestMovingAverage compares finite values with exact arithmetic, rounded where the kernel rounds.
func TestMovingAverage(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, kind := range fills[:3] { // normal, wide, tiny
			for _, n := range pointwiseLengths {
				for _, rate := range []float32{0, 1, 0.5, 0.1, 1e-4, 0x1p-40} {
					r := newRand(uint64(n))
					average, x, want := make([]float32, n), make([]float32, n), make([]float32, n)
					kind.set(r, average)
					kind.set(r, x)
					for i := range want {
						want[i] = exactFMA(rate, x[i]-average[i], average[i])
					}
					k.MovingAverage(average, x, rate)
					if i := differs(average, want); i >= 0 {
						t.Fatalf("%s fill %s n=%d rate=%g: [%d] = %g, want %g", k, kind.name, n, rate, i, average[i], want[i])
					}
				}
			}
		}
	})
}

// TestMovingAverageSteps compares with the average in float64. A step rounds the difference of two
// numbers that are at most largest, which counts by the rate, and the result. The errors of earlier
// steps shrink by 1-rate, so that those of all steps are at most those of 1/rate steps.
func TestMovingAverageSteps(t *testing.T) {
	const n, steps, largest = 37, 200, 6
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, rate := range []float32{0.5, 0.1, 0.01} {
			r := newRand(1)
			average, want := make([]float32, n), make([]float64, n)
			for range steps {
				x := random(r, n)
				k.MovingAverage(average, x, rate)
				for i, v := range x {
					want[i] = (1-float64(rate))*want[i] + float64(rate)*float64(v)
				}
			}
			bound := (2*float64(rate) + 1) / float64(rate) * largest * 0x1p-24
			near(t, "MovingAverage", k, average, want, bound)
		}
	})
}

func TestMovingAverageSpecial(t *testing.T) {
	const least, most = math.SmallestNonzeroFloat32, math.MaxFloat32
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range []struct{ average, x, rate, want float32 }{
			{3, 3, 0.1, 3},
			{0, 5, 1, 5},
			{2, 5, 0, 2},
			{negZero, 0, 0.5, 0},
			{0, negZero, 0.5, 0},
			{0, least, 1, least},
			{0, least, 0.5, 0}, // half of it is rounded to even
			{least, 3 * least, 0.5, 2 * least},
			{0, -0x1p-126, 0.75, -0x1.8p-127},
			{-most, most, 0.5, inf}, // the difference is
			{most, inf, 0.5, inf},
			{inf, 1, 0.5, nan},
			{inf, inf, 0.5, nan},
			{1, -inf, 0, nan},
			{nan, 1, 0.5, nan},
			{1, nan, 0.5, nan},
			{1, 2, nan, nan},
		} {
			got := []float32{c.average}
			k.MovingAverage(got, []float32{c.x}, c.rate)
			if !same(got[0], c.want) {
				t.Errorf("%s average=%g x=%g rate=%g: %g, want %g", k, c.average, c.x, c.rate, got[0], c.want)
			}
		}
	})
}
