package avx

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// Vector generates sums and products of vectors.
func Vector(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.add()
	e.mul()
	e.scale()
	e.dot()
}

func (e *emitter) add() {
	e.function(decl.Add)
	dst, src, n := e.arg("dst"), e.arg("src"), e.arg("n")
	e.each(n, func(s span) {
		e.Comment("dst = dst + src")
		v := s.load(dst)
		e.VADDPS(s.load(src), v, v)
		s.store(v, dst)
	})
	e.end()
}

func (e *emitter) mul() {
	e.function(decl.Mul)
	dst, x, y, n := e.arg("dst"), e.arg("x"), e.arg("y"), e.arg("n")
	e.each(n, func(s span) {
		e.Comment("dst = x·y")
		v := s.load(x)
		e.VMULPS(s.load(y), v, v)
		s.store(v, dst)
	})
	e.end()
}

func (e *emitter) scale() {
	e.function(decl.Scale)
	x, n, a := e.arg("x"), e.arg("n"), e.broadcastArg("a")
	e.each(n, func(s span) {
		e.Comment("x = a·x")
		v := s.load(x)
		e.VMULPS(a, v, v)
		s.store(v, x)
	})
	e.end()
}

func (e *emitter) dot() {
	e.function(decl.Dot)
	x, y, n := e.arg("x"), e.arg("y"), e.arg("n")
	acc := e.accumulators()
	e.reduce(n, func(s span) {
		e.Comment("sum += x·y")
		e.VFMADD231PS(s.load(y), s.load(x), acc[s.part])
	})
	e.Store(e.sumTree(acc), e.ReturnIndex(0))
	e.end()
}
