package avx

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// GRU generates the kernels of the gated recurrent unit.
func GRU(c *build.Context, isa ISA) { elementwise.GRU(newTarget(c, isa)) }
