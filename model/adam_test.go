package model

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

func TestRateAt(t *testing.T) {
	for _, test := range []struct {
		adam Adam
		step int
		want float64
	}{
		{Adam{Rate: 0.5}, 1, 0.5}, {Adam{Rate: 0.5}, 1_000_000, 0.5},
		{Adam{Rate: 0.5, Warmup: 4}, 1, 0.125}, {Adam{Rate: 0.5, Warmup: 4}, 3, 0.375},
		{Adam{Rate: 0.5, Warmup: 4}, 4, 0.5}, {Adam{Rate: 0.5, Warmup: 4}, 5, 0.5},
		{Adam{Rate: 0.5, Decay: 4}, 1, 0.5}, {Adam{Rate: 0.5, Decay: 4}, 4, 0.5},
		{Adam{Rate: 0.5, Decay: 4}, 16, 0.25}, {Adam{Rate: 0.5, Decay: 4}, 64, 0.125},
		{Adam{Rate: 0.5, Warmup: 64, Decay: 4}, 16, 0.0625},
	} {
		if got := test.adam.RateAt(test.step); got != test.want {
			t.Errorf("%+v: step %d: got %v, want %v", test.adam, test.step, got, test.want)
		}
	}
}

func TestAdamCheck(t *testing.T) {
	for _, a := range []Adam{
		{}, {Rate: -1}, {Rate: 2}, {Rate: math.NaN()}, {Rate: math.Inf(1)}, {Rate: 1, Warmup: -1}, {Rate: 1, Decay: -1},
	} {
		_, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 1, 0.1), Hyperparameters{Adam: &a}, smallCapacity)
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: got %v, want ErrConfig", a, err)
		}
	}
}

// An exactAdam is algorithm 1 of Kingma and Ba (2015) in float64, with PyTorch's settings.
type exactAdam struct {
	steps int
	m, v  []float64
}

// update returns the weights after a step.
func (a *exactAdam) update(rate float64, weights, gradient []float32) []float64 {
	squares := 0.0
	for _, g := range gradient {
		squares += float64(g) * float64(g)
	}
	scale := min(1, 1/math.Sqrt(squares))
	a.steps++
	next := make([]float64, len(weights))
	for i, w := range weights {
		g := scale * float64(gradient[i])
		a.m[i] = 0.9*a.m[i] + (1-0.9)*g
		a.v[i] = 0.999*a.v[i] + (1-0.999)*g*g
		m := a.m[i] / (1 - math.Pow(0.9, float64(a.steps)))
		v := a.v[i] / (1 - math.Pow(0.999, float64(a.steps)))
		next[i] = float64(w) - rate*m/(math.Sqrt(v)+1e-8)
	}
	return next
}

// TestAdam compares the weights after each of five updates with Adam in float64 on the
// trainer's own gradients. As a float32, 0.999 is off by 1.3e-8, which is 1.3e-5 of 1-0.999.
func TestAdam(t *testing.T) {
	settings := Adam{Rate: 0.01, Warmup: 2, Decay: 3}
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		m, batch := randomModel(t, smallConfig, 80, 0.4), randomBatch(newRand(81), smallConfig, 5, 6, 6)
		trainer, err := NewTrainer(k, m, Hyperparameters{Adam: &settings}, capacityOf(batch))
		if err != nil {
			t.Fatal(err)
		}
		n := len(m.Parameters.Values)
		a := exactAdam{m: make([]float64, n), v: make([]float64, n)}
		for update, rate := range []float64{0.005, 0.01, 0.01, 0.01 * math.Sqrt(3) / 2, 0.01 * math.Sqrt(3.0/5)} {
			before := slices.Clone(m.Parameters.Values)
			if _, err := trainer.Update(batch); err != nil {
				t.Fatal(err)
			}
			want := a.update(rate, before, trainer.gradients.Values)
			for i, w := range want {
				if bound := 0x1p-23*math.Abs(w) + 2e-5*rate; !(math.Abs(float64(m.Parameters.Values[i])-w) <= bound) {
					t.Fatalf("update %d: weight %d: got %v, want %v within %v", update, i, m.Parameters.Values[i], w, bound)
				}
			}
		}
	})
}

// TestAdamBias compares with powers. A step rounds the product and the sum; 1-β is exact.
func TestAdamBias(t *testing.T) {
	for _, beta := range [][2]float32{{0.9, 0.999}, {0, 0.5}, {0.99, 0.9999}} {
		var b adamBias
		rule := kernels.Adam{Beta1: beta[0], Beta2: beta[1], Epsilon: 1e-8, Rate: 1e-3, Scale: 0.7}
		for step := 1.0; step <= 20000; step++ {
			got := b.next(rule)
			m, v := -math.Expm1(step*math.Log(float64(rule.Beta1))), -math.Expm1(step*math.Log(float64(rule.Beta2)))
			rate, epsilon := float64(rule.Rate)*math.Sqrt(v)/m, float64(rule.Epsilon)*math.Sqrt(v)
			for _, c := range []struct {
				name             string
				got, want, units float64
			}{
				{"m", b.m, m, (2*step + 8) * 0x1p-53}, {"v", b.v, v, (2*step + 8) * 0x1p-53},
				{"Rate", float64(got.Rate), rate, 1.001 * 0x1p-24}, {"Epsilon", float64(got.Epsilon), epsilon, 1.001 * 0x1p-24},
			} {
				if !(math.Abs(c.got-c.want) <= c.units*c.want) {
					t.Fatalf("β %v, step %g: %s = %g, want %g", beta, step, c.name, c.got, c.want)
				}
			}
			if got.Rate, got.Epsilon = rule.Rate, rule.Epsilon; got != rule {
				t.Fatalf("next(%+v) = %+v apart from Rate and Epsilon", rule, got)
			}
		}
	}
}

// TestAdamResume resumes after up to more steps than any training takes.
func TestAdamResume(t *testing.T) {
	a := newAdam(&allocator{}, Adam{Rate: 1}, smallConfig, nil, nil)
	for _, steps := range []int{0, 1, 1000, 50_000} {
		var want adamBias
		for range steps {
			want.next(a.rule)
		}
		if a.resume(steps); a.bias != want || a.steps != steps {
			t.Errorf("%d steps: got %+v, want %+v", steps, a.bias, want)
		}
	}
	long := a.bias
	if a.resume(math.MaxInt); a.bias != long {
		t.Errorf("got %+v, want %+v", a.bias, long)
	}
}
