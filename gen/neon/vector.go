package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Vector generates sums and products of vectors.
func Vector(file *a64.File) {
	e := newEmitter(file)
	e.add()
	e.mul()
	e.scale()
	e.dot()
}

func (e *emitter) add() {
	e.function(decl.Add)
	dst, src, n := e.Arg("dst"), e.Arg("src"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		e.Comment("dst = dst + src")
		v := s.load(dst)
		e.VFADD(s.load(src), v, v)
		s.store(v, dst)
	})
	e.end()
}

func (e *emitter) mul() {
	e.function(decl.Mul)
	dst, x, y, n := e.Arg("dst"), e.Arg("x"), e.Arg("y"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		e.Comment("dst = x·y")
		v := s.load(x)
		e.VFMUL(s.load(y), v, v)
		s.store(v, dst)
	})
	e.end()
}

func (e *emitter) scale() {
	e.function(decl.Scale)
	x, n, a := e.Arg("x"), e.Arg("n"), e.broadcastArg("a")
	e.eachInFlight(n, func(s span) {
		e.Comment("x = a·x")
		v := s.load(x)
		e.VFMUL(a, v, v)
		s.store(v, x)
	})
	e.end()
}

func (e *emitter) dot() {
	e.function(decl.Dot)
	x, y, n := e.Arg("x"), e.Arg("y"), e.Arg("n")
	acc := e.accumulators()
	e.reduce(n, acc, func(s span, sum a64.V) {
		e.Comment("sum += x·y")
		e.VFMLA(s.load(y), s.load(x), sum)
	})
	e.Return(e.sumTree(acc))
	e.end()
}
