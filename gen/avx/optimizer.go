package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Optimizer generates the update rules of Adadelta and Adam, the decay of running averages without
// a gradient, and the moving average of parameters. AVX-512 shares MovingAverage with AVX2: its time is that of
// loads and stores, for which vectors of 512 bits are slower where they cross cache lines or come from memory.
func Optimizer(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.adadelta()
	e.decay()
	e.adam()
	if !e.wide() {
		e.movingAverage()
	}
}

// adadelta is the rule of Zeiler (arXiv 1212.5701, 2012), algorithm 1.
func (e *emitter) adadelta() {
	e.function(decl.Adadelta)
	x, g, g2, dx2, n := e.arg("x"), e.arg("gradient"), e.arg("g2"), e.arg("dx2"), e.arg("n")
	rho, keep := e.broadcastArg("rho"), e.broadcastArg("keep")
	epsilon, scale := e.broadcastArg("epsilon"), e.broadcastArg("scale")
	e.each(n, func(s span) {
		e.Comment("s = scale·gradient")
		d, step := s.load(g), s.load(dx2)
		e.VMULPS(scale, d, d)

		e.Comment("g2 = rho·g2 + keep·s², 0 below AverageFloor")
		mean := e.meanSquare(rho, keep, s.load(g2), d)
		s.store(mean, g2)

		e.Comment("d = √((dx2 + epsilon)/(g2 + epsilon))·s")
		e.VADDPS(epsilon, mean, mean)
		e.VADDPS(epsilon, step, step)
		e.VDIVPS(mean, step, step)
		e.VSQRTPS(step, step)
		e.VMULPS(step, d, d)

		e.Comment("x = x - d")
		p := s.load(x)
		e.VSUBPS(d, p, p)
		s.store(p, x)

		e.Comment("dx2 = rho·dx2 + keep·d², 0 below AverageFloor")
		s.store(e.meanSquare(rho, keep, s.load(dx2), d), dx2)
	})
	e.end()
}

// meanSquare returns decay·mean + keep·v², the running average of squares after the value v, or 0
// if that is below AverageFloor.
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
			e.Comment("x = rho·x, 0 below AverageFloor")
			v := s.load(x)
			e.VMULPS(rho, v, v)
			e.zeroBelow(v, v, e.averageFloor())
			s.store(v, x)
		})
	})
	e.end()
}

// adam is the rule of Kingma and Ba (arXiv 1412.6980, 2014), algorithm 1; the caller folds the
// bias corrections into rate and epsilon.
func (e *emitter) adam() {
	e.function(decl.Adam)
	x, g, m, v, n := e.arg("x"), e.arg("gradient"), e.arg("m"), e.arg("v"), e.arg("n")
	beta1, keep1 := e.broadcastArg("beta1"), e.broadcastArg("keep1")
	beta2, keep2 := e.broadcastArg("beta2"), e.broadcastArg("keep2")
	epsilon, rate, scale := e.broadcastArg("epsilon"), e.broadcastArg("rate"), e.broadcastArg("scale")
	e.each(n, func(s span) {
		e.Comment("s = scale·gradient")
		d := s.load(g)
		e.VMULPS(scale, d, d)

		e.Comment("v = beta2·v + keep2·s², 0 below AverageFloor; root = √v + epsilon")
		root := e.meanSquare(beta2, keep2, s.load(v), d)
		s.store(root, v)
		e.VSQRTPS(root, root)
		e.VADDPS(epsilon, root, root)

		e.Comment("m = beta1·m + keep1·s, 0 where |m| < AverageFloor")
		e.VMULPS(keep1, d, d)
		e.VFMADD231PS(s.load(m), beta1, d)
		size := e.vec()
		e.VANDPS(e.bits("absBits", ^uint32(asm.SignBit)), d, size)
		e.zeroBelow(d, size, e.averageFloor())
		s.store(d, m)

		e.Comment("x = x - rate·m/root")
		e.VMULPS(rate, d, d)
		e.VDIVPS(root, d, d)
		p := s.load(x)
		e.VSUBPS(d, p, p)
		s.store(p, x)
	})
	e.end()
}

func (e *emitter) movingAverage() {
	e.function(decl.MovingAverage)
	average, x, n, rate := e.arg("average"), e.arg("x"), e.arg("n"), e.broadcastArg("rate")
	e.eachInFlight(n, func(s span) {
		e.Comment("average = average + rate·(x - average)")
		d, mean := s.load(x), s.load(average)
		e.VSUBPS(mean, d, d)
		e.VFMADD231PS(d, rate, mean)
		s.store(mean, average)
	})
	e.end()
}
