package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Adadelta writes the update rule and the decay of its averages.
func Adadelta(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.adadelta()
	e.decay()
}

func (e *emitter) adadelta() {
	e.function(decl.Adadelta)
	x, g, g2, dx2, n := e.arg("x"), e.arg("gradient"), e.arg("g2"), e.arg("dx2"), e.arg("n")
	rho, keep := e.broadcastArg("rho"), e.broadcastArg("keep")
	epsilon, scale := e.broadcastArg("epsilon"), e.broadcastArg("scale")
	e.each(n, func(s span) {
		d, step := s.load(g), s.load(dx2)
		e.VMULPS(scale, d, d)
		mean := e.meanSquare(rho, keep, s.load(g2), d)
		s.store(mean, g2)
		e.VADDPS(epsilon, mean, mean)
		e.VADDPS(epsilon, step, step)
		e.VDIVPS(mean, step, step)
		e.VSQRTPS(step, step)
		e.VMULPS(step, d, d)
		p := s.load(x)
		e.VSUBPS(d, p, p)
		s.store(p, x)
		s.store(e.meanSquare(rho, keep, s.load(dx2), d), dx2)
	})
	e.end()
}

// meanSquare returns the running average of squares after one more value: decay·mean + keep·v².
func (e *emitter) meanSquare(decay, keep, mean, v reg.VecVirtual) reg.VecVirtual {
	sum := e.vec()
	e.VMULPS(v, v, sum)
	e.VMULPS(sum, keep, sum)
	e.VFMADD231PS(mean, decay, sum)
	e.zeroBelow(sum, sum, e.averageFloor())
	return sum
}

func (e *emitter) averageFloor() operand.Op { return e.float("averageFloor", asm.AverageFloor) }

func (e *emitter) decay() {
	e.function(decl.Decay)
	x, n, steps, rho := e.arg("x"), e.arg("n"), e.arg("steps"), e.broadcastArg("rho")
	e.times(steps, func() {
		e.eachInFlight(n, func(s span) {
			v := s.load(x)
			e.VMULPS(rho, v, v)
			e.zeroBelow(v, v, e.averageFloor())
			s.store(v, x)
		})
	})
	e.end()
}
