package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/asm"
)

// average returns a running average as Adadelta keeps it: 0, or from 2⁻¹⁰⁰ to 2.
func average(r *rand.Rand) float32 {
	if r.IntN(8) == 0 {
		return 0
	}
	return float32(math.Ldexp(1+r.Float64(), -r.IntN(101)))
}

// TestDecay takes averages through numbers of steps on both sides of those
// of one call and of those after which every average is 0, some 1,370.
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

// TestDecayNaN: an element decays beside NaN as it does alone. A maximum in lanes would pass
// over it, where NaN follows it in its lane, and 0 follows NaN.
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

// TestDecayIsUpdate: Decay does to the averages what as many updates without gradient do.
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
