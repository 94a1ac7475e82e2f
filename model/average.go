package model

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// A movingAverage is that of a model's weights, as Trainer.Model defines it. Nil averages nothing.
type movingAverage struct {
	decay   float64
	weights *Parameters
	model   *Model // has the average for its weights
}

// newMovingAverage returns an average that starts from the weights of m.
func newMovingAverage(a *allocator, decay float64, m *Model) *movingAverage {
	if decay == 0 {
		return nil
	}
	averaged := *m
	averaged.Parameters = newParameters(a, m.Config)
	copy(averaged.Parameters.Values, m.Parameters.Values)
	return &movingAverage{decay, m.Parameters, &averaged}
}

// update adds values from to to-1 of the weights after an update, counted from 1.
func (a *movingAverage) update(k kernels.Impl, update, from, to int) {
	if a == nil {
		return
	}
	rate := max(1-a.decay, 10/(float64(update)+9)) // 1-d_t
	k.MovingAverage(a.model.Parameters.Values[from:to], a.weights.Values[from:to], float32(rate))
}

func (a *movingAverage) state() []safetensors.Tensor {
	if a == nil {
		return nil
	}
	return []safetensors.Tensor{stateTensor("weights.average", a.model.Parameters)}
}
