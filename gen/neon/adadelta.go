package neon

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Adadelta writes the update rule and the decay of its averages.
func Adadelta(file *a64.File) {
	e := newEmitter(file)
	e.adadelta()
	e.decay()
}

func (e *emitter) adadelta() {
	e.function(decl.Adadelta)
	x, g, g2, dx2, n := e.Arg("x"), e.Arg("gradient"), e.Arg("g2"), e.Arg("dx2"), e.Arg("n")
	rho, keep := e.broadcastArg("rho"), e.broadcastArg("keep")
	epsilon, scale := e.broadcastArg("epsilon"), e.broadcastArg("scale")
	e.eachInFlight(n, func(s span) {
		d, step := s.load(g), s.load(dx2)
		e.VFMUL(scale, d, d)
		mean := e.meanSquare(rho, keep, s.load(g2), d)
		s.store(mean, g2)
		e.VFADD(epsilon, mean, mean)
		e.VFADD(epsilon, step, step)
		e.VFDIV(mean, step, step)
		e.VFSQRT(step, step)
		e.VFMUL(step, d, d)
		p := s.load(x)
		e.VFSUB(d, p, p)
		s.store(p, x)
		s.store(e.meanSquare(rho, keep, s.load(dx2), d), dx2)
	})
	e.end()
}

// meanSquare returns the running average of squares after one more value: decay·mean + keep·v².
func (e *emitter) meanSquare(decay, keep, mean, v a64.V) a64.V {
	sum := e.squared(v)
	e.VFMUL(keep, sum, sum)
	e.VFMLA(decay, mean, sum)
	e.clear(e.larger(e.averageFloor(), sum), sum)
	return sum
}

func (e *emitter) averageFloor() a64.V { return e.float("averageFloor", asm.AverageFloor) }

func (e *emitter) decay() {
	e.function(decl.Decay)
	x, n, steps, rho := e.Arg("x"), e.Arg("n"), e.Arg("steps"), e.broadcastArg("rho")
	e.times(steps, func() {
		e.eachInFlight(n, func(s span) {
			v := s.load(x)
			e.VFMUL(rho, v, v)
			e.clear(e.larger(e.averageFloor(), v), v)
			s.store(v, x)
		})
	})
	e.end()
}
