package kernels

import (
	"math"
	"testing"
)

var pointwiseLengths = []int{0, 1, 7, 8, 9, 67, block, block + 5}

// A unit is one element of a gated recurrent unit in float64: the pre-activations of its
// gates and of its candidate, and its previous state.
type unit struct{ z, r, candidate, h float64 }

func (u unit) next() float64 {
	z := sigmoid64(u.z)
	return (1-z)*u.h + z*math.Tanh(u.candidate)
}

func (u unit) rh() float64 { return sigmoid64(u.r) * u.h }

func TestGRU(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			z, reset, candidate, h := random(r, n), random(r, n), random(r, n), random(r, n)
			want := map[string][]float64{}
			for _, name := range []string{"z", "r", "rh", "candidate", "next"} {
				want[name] = make([]float64, n)
			}
			for i := range n {
				u := unit{float64(z[i]), float64(reset[i]), float64(candidate[i]), float64(h[i])}
				want["z"][i], want["r"][i], want["rh"][i] = sigmoid64(u.z), sigmoid64(u.r), u.rh()
				want["candidate"][i], want["next"][i] = math.Tanh(u.candidate), u.next()
			}
			rh, next := make([]float32, n), make([]float32, n)
			k.GRUGates(z, reset, rh, h)
			k.GRUState(next, candidate, z, h)
			// Sigmoid has 2.5 and Tanh 1.5 ULP of at most 1; |h| < 5 multiplies the error, and
			// a product or a difference adds a rounding of a value below 8.
			near(t, "GRUGates z", k, z, want["z"], 2.5*0x1p-24)
			near(t, "GRUGates r", k, reset, want["r"], 2.5*0x1p-24)
			near(t, "GRUGates rh", k, rh, want["rh"], (5*2.5+4)*0x1p-24)
			near(t, "GRUState candidate", k, candidate, want["candidate"], 1.5*0x1p-24)
			near(t, "GRUState next", k, next, want["next"], (6*2.5+1.5+4+4)*0x1p-24)
		}
	})
}

// TestGRUBackward compares with the slopes of dnext·next and of drh·rh.
func TestGRUBackward(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			z, reset, candidate, h := random(r, n), random(r, n), random(r, n), random(r, n)
			dnext, drh, dhBefore := random(r, n), random(r, n), random(r, n)
			wantZ, wantR, wantCandidate := make([]float64, n), make([]float64, n), make([]float64, n)
			wantH, wantHThroughR := make([]float64, n), make([]float64, n)
			for i := range n {
				u := unit{float64(z[i]), float64(reset[i]), float64(candidate[i]), float64(h[i])}
				next := func() float64 { return float64(dnext[i]) * u.next() }
				rh := func() float64 { return float64(drh[i]) * u.rh() }
				wantZ[i], wantCandidate[i], wantH[i] = slope(next, &u.z), slope(next, &u.candidate), slope(next, &u.h)
				wantR[i], wantHThroughR[i] = slope(rh, &u.r), float64(dhBefore[i])+slope(rh, &u.h)
			}
			rh, next, dh := make([]float32, n), make([]float32, n), make([]float32, n)
			k.GRUGates(z, reset, rh, h)
			k.GRUState(next, candidate, z, h)
			k.GRUStateBackward(dh, candidate, z, h, dnext)
			k.GRUGatesBackward(dhBefore, reset, drh, h)
			// Gradients and states below 5, six factors with the errors of TestGRU, and the
			// error of slope, 1e-10 times that.
			const tolerance = 5*6*(2*2.5+4)*0x1p-24 + 1e-8
			near(t, "GRUStateBackward dh", k, dh, wantH, tolerance)
			near(t, "GRUStateBackward z", k, z, wantZ, tolerance)
			near(t, "GRUStateBackward candidate", k, candidate, wantCandidate, tolerance)
			near(t, "GRUGatesBackward dh", k, dhBefore, wantHThroughR, tolerance)
			near(t, "GRUGatesBackward r", k, reset, wantR, tolerance)
		}
	})
}

// TestGRUKeep holds the ends of the interpolation: z = 0 keeps the state, z = 1 takes the
// candidate.
func TestGRUKeep(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		h := []float32{0.5, -0.25, 3, -0.75}
		candidate, next := []float32{1, 2, -3, 0}, make([]float32, 4)
		k.GRUState(next, candidate, make([]float32, 4), h)
		if i := differs(next, h); i >= 0 {
			t.Errorf("%s z=0: next[%d] = %g, want %g", k, i, next[i], h[i])
		}
		k.GRUState(next, []float32{100, -100, 100, -100}, []float32{1, 1, 1, 1}, h)
		for i, want := range []float32{1, -1, 1, -1} {
			if next[i] != want {
				t.Errorf("%s z=1: next[%d] = %g, want %g", k, i, next[i], want)
			}
		}
	})
}
