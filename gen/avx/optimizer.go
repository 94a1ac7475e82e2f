package avx

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Optimizer generates the kernels of the optimizers. AVX-512 shares MovingAverage with AVX2: its time is that of
// loads and stores, for which vectors of 512 bits are slower where they cross cache lines or come from memory.
func Optimizer(c *build.Context, isa ISA) {
	t := newTarget(c, isa)
	elementwise.Optimizer(t)
	if !t.wide() {
		elementwise.MovingAverage(t)
	}
}
