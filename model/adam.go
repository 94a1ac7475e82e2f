package model

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// An Adam holds the settings of the optimizer of Kingma and Ba (2015). Its decays are theirs, 0.9
// and 0.999, and ε is 1e-8. Every step changes all weights, including those without a gradient.
type Adam struct {
	Rate   float64 `json:"rate"`   // the step size α
	Warmup int     `json:"warmup"` // number of steps over which the step size rises linearly to Rate; 0: none
	Decay  int     `json:"decay"`  // step after which the step size falls as 1/√step; 0: never
}

// Check returns an error that wraps ErrConfig if a setting is out of its range.
func (a Adam) Check() error {
	if !(a.Rate > 0 && a.Rate <= 1) {
		return fmt.Errorf("%w: learning rate %v, expected above 0 and at most 1", ErrConfig, a.Rate)
	}
	if a.Warmup < 0 || a.Decay < 0 {
		return fmt.Errorf("%w: warm-up of %d steps, decay from step %d on, expected at least 0", ErrConfig, a.Warmup, a.Decay)
	}
	return nil
}

// RateAt returns the size of a step. Steps are counted from 1.
func (a Adam) RateAt(step int) float64 {
	rate := a.Rate
	if step < a.Warmup {
		rate *= float64(step) / float64(a.Warmup)
	}
	if a.Decay > 0 && step > a.Decay {
		rate *= math.Sqrt(float64(a.Decay) / float64(step))
	}
	return rate
}

// An adam is the optimizer with these settings.
type adam struct {
	settings      Adam
	rule          kernels.Adam
	weights, m, v *Parameters
	gradients     *gradients
	steps         int
	bias          adamBias     // of the last step
	corrected     kernels.Adam // the same
}

func newAdam(a *allocator, settings Adam, c Config, weights *Parameters, g *gradients) *adam {
	return &adam{
		settings: settings, rule: kernels.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		weights: weights, gradients: g, m: newParameters(a, c), v: newParameters(a, c),
	}
}

func (o *adam) begin(scale float32) {
	o.steps++
	o.rule.Rate, o.rule.Scale = float32(o.settings.RateAt(o.steps)), scale
	o.corrected = o.bias.next(o.rule)
}

func (o *adam) dense(k kernels.Impl, from, to int) {
	n := o.weights.embeddings
	o.update(k, n+from, n+to)
}

func (o *adam) embeddings(k kernels.Impl) { o.update(k, 0, o.weights.embeddings) }

func (o *adam) update(k kernels.Impl, from, to int) {
	k.UpdateAdam(o.corrected, o.weights.Values[from:to], o.gradients.Values[from:to], o.m.Values[from:to], o.v.Values[from:to])
}

func (o *adam) state(kernels.Impl) [2]safetensors.Tensor {
	return [2]safetensors.Tensor{stateTensor("adam.m", o.m), stateTensor("adam.v", o.v)}
}

func (o *adam) resume(steps int) {
	o.steps, o.bias = steps, adamBias{}
	for range steps {
		before := o.bias
		if o.bias.next(o.rule); o.bias == before {
			return // so close to 1 that no step changes it
		}
	}
}

// An adamBias is the factor by which Adam's running averages, which start from 0, are too small
// after t steps: 1-β₁ᵗ and 1-β₂ᵗ. The zero value is that of t = 0.
type adamBias struct{ m, v float64 }

// next advances to the next step and returns r with its Rate and Epsilon corrected (see
// kernels.Adam).
func (b *adamBias) next(r kernels.Adam) kernels.Adam {
	beta1, beta2 := float64(r.Beta1), float64(r.Beta2)
	b.m = float64(beta1*b.m) + (1 - beta1)
	b.v = float64(beta2*b.v) + (1 - beta2)
	root := math.Sqrt(b.v)
	r.Epsilon = float32(float64(r.Epsilon) * root)
	r.Rate = float32(float64(r.Rate) * root / b.m)
	return r
}
