package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Adam writes the update rule.
func Adam(file *a64.File) {
	e := newEmitter(file)
	e.function(decl.Adam)
	x, g, m, v, n := e.Arg("x"), e.Arg("gradient"), e.Arg("m"), e.Arg("v"), e.Arg("n")
	beta1, keep1 := e.broadcastArg("beta1"), e.broadcastArg("keep1")
	beta2, keep2 := e.broadcastArg("beta2"), e.broadcastArg("keep2")
	epsilon, rate, scale := e.broadcastArg("epsilon"), e.broadcastArg("rate"), e.broadcastArg("scale")
	e.eachInFlight(n, func(s span) {
		d := s.load(g)
		e.VFMUL(scale, d, d)
		root := e.meanSquare(beta2, keep2, s.load(v), d)
		s.store(root, v)
		e.VFSQRT(root, root)
		e.VFADD(epsilon, root, root)
		e.VFMUL(keep1, d, d)
		e.VFMLA(beta1, s.load(m), d)
		size := e.Vector()
		e.VFABS(d, size)
		e.clear(e.larger(e.averageFloor(), size), d)
		s.store(d, m)
		e.VFMUL(rate, d, d)
		e.VFDIV(root, d, d)
		p := s.load(x)
		e.VFSUB(d, p, p)
		s.store(p, x)
	})
	e.end()
}
