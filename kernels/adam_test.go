package kernels

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/asm"
)

// An adam64 is algorithm 1 of Kingma and Ba (2015) in float64.
type adam64 struct {
	rate, beta1, beta2, epsilon float64
	steps, power1, power2       float64 // t, β₁ᵗ, β₂ᵗ
	x, m, v                     []float64
	size                        []float64 // the running average of the gradient's magnitude
	bound                       []float64 // on the error of x in float32
}

func newAdam64(a Adam, x []float64) *adam64 {
	zeros := func() []float64 { return make([]float64, len(x)) }
	return &adam64{
		rate: float64(a.Rate), beta1: float64(a.Beta1), beta2: float64(a.Beta2), epsilon: float64(a.Epsilon),
		power1: 1, power2: 1, x: x, m: zeros(), v: zeros(), size: zeros(), bound: zeros(),
	}
}

// update takes a step with gradient scale·g.
//
// The bound counts roundings in float32. The gradient is rounded once. By step t, its share of m has
// been rounded t+1 times more, and its share of v, where it is squared, t+2 times more (1-β is
// exact). The root halves the error of v and is rounded itself, as are ε, their sum, the rate, its
// product with m, and the quotient, all relative to a step without cancellation in m. x is rounded
// once per step.
func (a *adam64) update(scale float32, g []float32) {
	a.steps++
	a.power1 *= a.beta1
	a.power2 *= a.beta2
	for i, value := range g {
		s := float64(scale) * float64(value)
		a.m[i] = a.beta1*a.m[i] + (1-a.beta1)*s
		a.v[i] = a.beta2*a.v[i] + (1-a.beta2)*s*s
		a.size[i] = a.beta1*a.size[i] + (1-a.beta1)*math.Abs(s)
		factor := a.rate / (1 - a.power1) / (math.Sqrt(a.v[i]/(1-a.power2)) + a.epsilon)
		a.x[i] -= factor * a.m[i]
		a.bound[i] += 0x1p-24 * (a.roundingsOfM() + a.roundingsOfV()/2 + 6) * factor * a.size[i]
		a.bound[i] += 0x1p-24 * math.Abs(a.x[i])
	}
}

// corrected returns r with the Rate and Epsilon of the last step of a.
func (a *adam64) corrected(r Adam) Adam {
	root := math.Sqrt(1 - a.power2)
	r.Rate, r.Epsilon = float32(a.rate*root/(1-a.power1)), float32(a.epsilon*root)
	return r
}

func (a *adam64) roundingsOfM() float64 { return a.steps + 2 }
func (a *adam64) roundingsOfV() float64 { return a.steps + 4 }

// check compares float32 results with a.
func (a *adam64) check(t *testing.T, k Impl, x, m, v []float32) {
	t.Helper()
	for i := range x {
		for _, c := range []struct {
			name        string
			got         float32
			want, bound float64
		}{
			{"x", x[i], a.x[i], a.bound[i]},
			{"m", m[i], a.m[i], 0x1p-24 * a.roundingsOfM() * a.size[i]},
			{"v", v[i], a.v[i], 0x1p-24 * a.roundingsOfV() * a.v[i]},
		} {
			if !(math.Abs(float64(c.got)-c.want) <= c.bound*(1+0x1p-18)) { // for products of errors
				t.Fatalf("%s UpdateAdam n=%d, step %g: %s[%d] = %g, want %g within %g", k, len(x), a.steps, c.name, i, c.got, c.want, c.bound)
			}
		}
	}
}

func TestAdam(t *testing.T) {
	rule := Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Rate: 0.1, Scale: 0.3}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, n := range pointwiseLengths {
			r := newRand(uint64(n))
			x, m, v := random(r, n), make([]float32, n), make([]float32, n)
			exact := newAdam64(rule, wider(x))
			for range 5 {
				g := random(r, n)
				exact.update(rule.Scale, g)
				k.UpdateAdam(exact.corrected(rule), x, g, m, v)
				exact.check(t, k, x, m, v)
			}
		}
	})
}

// TestAdamTorch compares with steps of torch.optim.Adam in float64, written by testdata/adam.py.
func TestAdamTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/adam.json")
	if err != nil {
		t.Fatal(err)
	}
	var torch struct {
		Rate, Beta1, Beta2, Epsilon float32
		X                           []float32
		Steps                       []struct {
			Gradient []float32
			X, M, V  []float64
		}
	}
	if err := json.Unmarshal(data, &torch); err != nil {
		t.Fatal(err)
	}
	rule := Adam{torch.Beta1, torch.Beta2, torch.Epsilon, torch.Rate, 1}
	eachImpl(t, func(t *testing.T, k Impl) {
		n := len(torch.X)
		x, m, v := slices.Clone(torch.X), make([]float32, n), make([]float32, n)
		exact := newAdam64(rule, wider(x))
		for _, want := range torch.Steps {
			exact.update(rule.Scale, want.Gradient) // for the bounds
			copy(exact.x, want.X)
			copy(exact.m, want.M)
			copy(exact.v, want.V)
			k.UpdateAdam(exact.corrected(rule), x, want.Gradient, m, v)
			exact.check(t, k, x, m, v)
		}
		if len(torch.Steps) == 0 || n == 0 {
			t.Error("testdata/adam.json has no steps")
		}
	})
}

// TestAdamDecay: averages that only decay reach 0 without becoming subnormal.
func TestAdamDecay(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, start := range []float32{1, -1} {
			x, g, m, v := []float32{0}, []float32{0}, []float32{start}, []float32{1}
			for i := range 8000 {
				k.UpdateAdam(adamSettings, x, g, m, v)
				for _, average := range []float32{m[0] * start, v[0]} {
					if average != 0 && average < asm.AverageFloor {
						t.Fatalf("%s step %d: average %g lies below %g", k, i, average, asm.AverageFloor)
					}
				}
			}
			if m[0] != 0 || v[0] != 0 || !(x[0]*start < 0) {
				t.Errorf("%s after 8000 steps without gradient: averages %g and %g, want 0; x = %g, want the sign of %g", k, m[0], v[0], x[0], -start)
			}
		}
	})
}

// TestAdamSpecial takes a step from averages of 0.
func TestAdamSpecial(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range []struct{ x, g, wantX, wantM, wantV float32 }{
			{1, 0, 1, 0, 0},
			{negZero, 0, negZero, 0, 0},
			{0, negZero, 0, 0, 0},
			{2, 0x1p-149, 2, 0, 0},
			{2, -0x1p-110, 2, 0, 0},
			{1, nan, nan, nan, nan},
			{1, -inf, nan, -inf, inf},
			{inf, 0, inf, 0, 0},
		} {
			got := [3][]float32{{c.x}, {0}, {0}}
			k.UpdateAdam(adamSettings, got[0], []float32{c.g}, got[1], got[2])
			for i, want := range []float32{c.wantX, c.wantM, c.wantV} {
				if !same(got[i][0], want) {
					t.Errorf("%s x=%g g=%g: %s = %g, want %g", k, c.x, c.g, "xmv"[i:i+1], got[i][0], want)
				}
			}
		}
	})
}
