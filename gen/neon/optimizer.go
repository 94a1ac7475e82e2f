package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Optimizer generates the kernels of the optimizers.
func Optimizer(file *a64.File) {
	t := newTarget(file)
	elementwise.Optimizer(t)
	elementwise.MovingAverage(t)
}
