package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/asm"
)

// TestAdadelta follows the rule of Zeiler (2012) in float64 for several steps.
func TestAdadelta(t *testing.T) {
	const steps = 5
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			x := random(r, n)
			g2, dx2 := make([]float32, n), make([]float32, n)
			exact, mean, step := wider(x), make([]float64, n), make([]float64, n)
			a := Adadelta{Rho: 0.95, Epsilon: 1e-6, Scale: 0.3}
			rho, epsilon := float64(a.Rho), float64(a.Epsilon)
			for range steps {
				g := random(r, n)
				for i, v := range g {
					s := float64(a.Scale) * float64(v)
					mean[i] = rho*mean[i] + (1-rho)*s*s
					d := math.Sqrt((step[i]+epsilon)/(mean[i]+epsilon)) * s
					exact[i] -= d
					step[i] = rho*step[i] + (1-rho)*d*d
				}
				k.UpdateAdadelta(a, x, g, g2, dx2)
			}
			// A step here is at most about 0.01 and has about twelve roundings, twice as many through
			// the averages. x, below 8, is rounded once per step.
			near(t, "UpdateAdadelta x", k, x, exact, steps*(4+0.01*24)*0x1p-24)
			for i := range n {
				for _, c := range []struct {
					name      string
					got, want float64
				}{{"g2", float64(g2[i]), mean[i]}, {"dx2", float64(dx2[i]), step[i]}} {
					if !(math.Abs(c.got-c.want) <= steps*24*0x1p-24*c.want) {
						t.Fatalf("%s UpdateAdadelta n=%d %s[%d] = %g, want %g", k, n, c.name, i, c.got, c.want)
					}
				}
			}
		}
	})
}

// TestAdadeltaDecay: averages that only decay reach 0 without becoming subnormal.
func TestAdadeltaDecay(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		x, g := []float32{1}, []float32{0}
		g2, dx2 := []float32{1}, []float32{0x1p-90}
		for i := range 2000 {
			k.UpdateAdadelta(settings, x, g, g2, dx2)
			for _, v := range []float32{g2[0], dx2[0]} {
				if v != 0 && v < asm.AverageFloor {
					t.Fatalf("%s step %d: average %g lies below %g", k, i, v, asm.AverageFloor)
				}
			}
		}
		if g2[0] != 0 || dx2[0] != 0 || x[0] != 1 {
			t.Errorf("%s after 2000 steps without gradient: averages %g and %g, want 0; x = %g, want 1", k, g2[0], dx2[0], x[0])
		}
	})
}

// average returns a running average as Adadelta stores it: 0, or between 2⁻¹⁰⁰ and 2.
func average(r *rand.Rand) float32 {
	if r.IntN(8) == 0 {
		return 0
	}
	return float32(math.Ldexp(1+r.Float64(), -r.IntN(101)))
}

// TestDecay has numbers of steps on both sides of the maximum in one call, and of the number after
// which every average is 0, about 1,370.
func TestDecay(t *testing.T) {
	for _, steps := range []int{0, 1, 2, decaySteps - 1, decaySteps, decaySteps + 1, 2 * decaySteps, 500, 1300, 1400, 5000} {
		x := make([]float32, 1003)
		for i, r := 0, newRand(uint64(steps)); i < len(x); i++ {
			x[i] = average(r)
		}
		want := slices.Clone(x)
		for i := range want {
			for range steps {
				product := float64(settings.Rho) * float64(want[i]) // exact
				want[i] = float32(product)
				if want[i] < asm.AverageFloor {
					want[i] = 0
				}
			}
		}
		eachImpl(t, func(t *testing.T, k Impl) {
			for _, n := range []int{0, 1, 17, len(x)} {
				got := slices.Clone(x[:n])
				k.Decay(got, settings.Rho, steps)
				if i := differs(got, want[:n]); i >= 0 {
					t.Errorf("%s n=%d: %g after %d steps: got %g, want %g", k, n, x[i], steps, got[i], want[i])
				}
			}
		})
	}
}

// TestDecayForever: numbers of steps that no loop takes. After 1<<22 steps, no further one changes an
// average.
func TestDecayForever(t *testing.T) {
	for _, rho := range []float32{0, 0.5, 0.95, 0.9999, 1, 2, -1, float32(math.Inf(1)), float32(math.NaN())} {
		x := []float32{0, 1, 0x1p-99, 1e30, -1, float32(math.Inf(1)), float32(math.NaN())}
		want := slices.Clone(x)
		decayGo(want, rho, 1<<22)
		eachImpl(t, func(t *testing.T, k Impl) {
			for _, steps := range []int{1 << 30, math.MaxInt/2 + 1, math.MaxInt} {
				got := slices.Clone(x)
				k.Decay(got, rho, steps)
				if i := differs(got, want); i >= 0 {
					t.Errorf("%s: %g after %d steps with ρ %g: got %g, want %g", k, x[i], steps, rho, got[i], want[i])
				}
			}
		})
	}
}

// TestDecayNaN: NaN does not affect the decay of other elements. A test for zeros by the maximum in
// lanes would lose an element followed in its lane by NaN, and then 0.
func TestDecayNaN(t *testing.T) {
	const start, rho, steps = 1, 0.5, decaySteps + 3
	eachImpl(t, func(t *testing.T, k Impl) {
		for at := range lanes {
			x := make([]float32, 3*lanes)
			x[at], x[at+lanes] = start, float32(math.NaN())
			k.Decay(x, rho, steps)
			if want := float32(math.Ldexp(start, -steps)); x[at] != want {
				t.Errorf("%s: element %d: got %g, want %g", k, at, x[at], want)
			}
		}
	})
}

// TestDecayIsUpdate: Decay does to the averages what that many updates without gradients do.
func TestDecayIsUpdate(t *testing.T) {
	const n, steps = 133, 1500
	eachImpl(t, func(t *testing.T, k Impl) {
		r := newRand(1)
		x, g, g2, dx2 := random(r, n), make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range n {
			g2[i], dx2[i] = average(r), average(r)
		}
		weights, start := slices.Clone(x), [][]float32{slices.Clone(g2), slices.Clone(dx2)}
		for step := 1; step <= steps; step++ {
			k.UpdateAdadelta(settings, x, g, g2, dx2)
			if step%97 != 0 && step < steps {
				continue
			}
			for j, want := range [][]float32{g2, dx2} {
				got := slices.Clone(start[j])
				k.Decay(got, settings.Rho, step)
				if i := differs(got, want); i >= 0 {
					t.Fatalf("%s: %g after %d updates: got %g, want %g", k, start[j][i], step, got[i], want[i])
				}
			}
		}
		if i := differs(x, weights); i >= 0 {
			t.Errorf("%s: weight %g becomes %g without gradient", k, weights[i], x[i])
		}
	})
}

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
// numbers up to largest, weighted by the rate, and the result. Errors of earlier steps shrink by
// 1-rate per step, so that all together are at most those of 1/rate steps.
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
