package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Vector generates sums and products of vectors.
func Vector(file *a64.File) {
	t := newTarget(file)
	elementwise.Vector(t)
	t.dot()
}

func (e *emitter) dot() {
	e.function(decl.Dot)
	x, y, n := e.Arg("x"), e.Arg("y"), e.Arg("n")
	acc := e.accumulators()
	e.reduce(n, acc, func(s span, sum a64.V) {
		e.Comment("sum += x·y")
		e.VFMLA(s.Load(y), s.Load(x), sum)
	})
	e.Return(e.sumTree(acc))
	e.RET()
}
