package avx

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Vector generates sums and products of vectors.
func Vector(c *build.Context, isa ISA) {
	t := newTarget(c, isa)
	elementwise.Vector(t)
	t.dot()
}

func (e *emitter) dot() {
	e.function(decl.Dot)
	x, y, n := e.arg("x"), e.arg("y"), e.arg("n")
	acc := e.accumulators()
	e.reduce(n, func(s span) {
		e.Comment("sum += x·y")
		e.VFMADD231PS(s.Load(y), s.Load(x), acc[s.part])
	})
	e.Store(e.sumTree(acc), e.ReturnIndex(0))
	e.end()
}
