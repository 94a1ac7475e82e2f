package model

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
)

// An Adam is the optimizer of Kingma and Ba (2015) with their decays of 0.9 and 0.999 and an ε of
// 1e-8. Every step changes all weights: those without a gradient go on moving.
type Adam struct {
	Rate   float64 `json:"rate"`   // the step size α
	Warmup int     `json:"warmup"` // steps over which it grows in proportion to their number; 0: none
	Decay  int     `json:"decay"`  // step from which on it falls as 1/√step; 0: never
}

// Check returns an error that wraps ErrConfig for a setting that no training can have.
func (a Adam) Check() error {
	if !(a.Rate > 0 && a.Rate <= 1) {
		return fmt.Errorf("model: %w: learning rate %v, expected above 0 and at most 1", ErrConfig, a.Rate)
	}
	if a.Warmup < 0 || a.Decay < 0 {
		return fmt.Errorf("model: %w: warm-up of %d steps, decay from step %d on, expected at least 0", ErrConfig, a.Warmup, a.Decay)
	}
	return nil
}

// RateAt returns the step size of a step, of which the first is 1.
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

// An adam is the state of an Adam.
type adam struct {
	settings                 Adam
	rule                     kernels.Adam
	weights, gradients, m, v *Parameters
	steps                    int
	bias                     kernels.AdamBias // of the last step
}

func newAdam(settings Adam, c Config, weights, gradients *Parameters) *adam {
	return &adam{
		settings: settings, rule: kernels.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		weights: weights, gradients: gradients, m: newParameters(c), v: newParameters(c),
	}
}

func (a *adam) step(k kernels.Impl, scale float32) {
	a.steps++
	a.rule.Rate, a.rule.Scale = float32(a.settings.RateAt(a.steps)), scale
	k.UpdateAdam(a.bias.Next(a.rule), a.weights.Values, a.gradients.Values, a.m.Values, a.v.Values)
}

func (a *adam) averages(kernels.Impl) [2]average {
	return [2]average{{"adam.m", a.m.Values}, {"adam.v", a.v.Values}}
}

func (a *adam) resume(steps int) {
	a.steps, a.bias = steps, kernels.AdamBias{}
	for range steps {
		before := a.bias
		if a.bias.Next(a.rule); a.bias == before {
			return // so near to 1 that no step changes it
		}
	}
}
