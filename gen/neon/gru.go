package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// GRU generates the kernels of the gated recurrent unit.
func GRU(file *a64.File) { elementwise.GRU(newTarget(file)) }
