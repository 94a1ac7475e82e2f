package model

import "github.com/softsearch-go/softsearch/kernels"

// An averaging keeps the moving average of the weights of a model, as [Trainer.Model] has it. Nil is
// none.
type averaging struct {
	decay   float64
	weights *Parameters
	model   *Model // with the average for weights
}

// newAveraging returns an averaging of the weights of m, which are the average before the first
// update.
func newAveraging(decay float64, m *Model) *averaging {
	if decay == 0 {
		return nil
	}
	averaged := *m
	averaged.Parameters = newParameters(m.Config)
	copy(averaged.Parameters.Values, m.Parameters.Values)
	return &averaging{decay, m.Parameters, &averaged}
}

// step takes in the weights after that update.
func (a *averaging) step(k kernels.Impl, update int) {
	if a == nil {
		return
	}
	rate := max(1-a.decay, 10/(float64(update)+9)) // 1-d_t
	k.MovingAverage(a.model.Parameters.Values, a.weights.Values, float32(rate))
}

// averages returns the average, if there is one.
func (a *averaging) averages() []average {
	if a == nil {
		return nil
	}
	return []average{{"weights.average", a.model.Parameters.Values}}
}
