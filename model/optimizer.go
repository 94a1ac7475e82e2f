package model

import "github.com/softsearch-go/softsearch/kernels"

// An optimizer changes the weights of a model by their gradient, and keeps two running averages
// of each.
type optimizer interface {
	// step takes a step with the gradient times scale.
	step(k kernels.Impl, scale float32)

	// averages returns the averages as of the last step.
	averages(k kernels.Impl) [2]average

	// resume goes on with averages as of that step, which have been put where averages has them.
	resume(steps int)
}

// An average is a running average of all weights. Files have it by its name.
type average struct {
	name   string
	values []float32
}
