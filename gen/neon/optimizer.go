package neon

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Optimizer generates the update rules of Adadelta and Adam, the decay of running averages without
// a gradient, and the moving average of parameters.
func Optimizer(file *a64.File) {
	e := newEmitter(file)
	e.adadelta()
	e.decay()
	e.adam()
	e.movingAverage()
}

// adadelta is the rule of Zeiler (arXiv 1212.5701, 2012), algorithm 1.
func (e *emitter) adadelta() {
	e.function(decl.Adadelta)
	x, g, g2, dx2, n := e.Arg("x"), e.Arg("gradient"), e.Arg("g2"), e.Arg("dx2"), e.Arg("n")
	rho, keep := e.broadcastArg("rho"), e.broadcastArg("keep")
	epsilon, scale := e.broadcastArg("epsilon"), e.broadcastArg("scale")
	e.eachInFlight(n, func(s span) {
		e.Comment("s = scale·gradient")
		d, step := s.load(g), s.load(dx2)
		e.VFMUL(scale, d, d)

		e.Comment("g2 = rho·g2 + keep·s², 0 below AverageFloor")
		mean := e.meanSquare(rho, keep, s.load(g2), d)
		s.store(mean, g2)

		e.Comment("d = √((dx2 + epsilon)/(g2 + epsilon))·s")
		e.VFADD(epsilon, mean, mean)
		e.VFADD(epsilon, step, step)
		e.VFDIV(mean, step, step)
		e.VFSQRT(step, step)
		e.VFMUL(step, d, d)

		e.Comment("x = x - d")
		p := s.load(x)
		e.VFSUB(d, p, p)
		s.store(p, x)

		e.Comment("dx2 = rho·dx2 + keep·d², 0 below AverageFloor")
		s.store(e.meanSquare(rho, keep, s.load(dx2), d), dx2)
	})
	e.end()
}

// meanSquare returns decay·mean + keep·v², the running average of squares after the value v, or 0
// if that is below AverageFloor.
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
			e.Comment("x = rho·x, 0 below AverageFloor")
			v := s.load(x)
			e.VFMUL(rho, v, v)
			e.clear(e.larger(e.averageFloor(), v), v)
			s.store(v, x)
		})
	})
	e.end()
}

// adam is the rule of Kingma and Ba (arXiv 1412.6980, 2014), algorithm 1; the caller folds the
// bias corrections into rate and epsilon.
func (e *emitter) adam() {
	e.function(decl.Adam)
	x, g, m, v, n := e.Arg("x"), e.Arg("gradient"), e.Arg("m"), e.Arg("v"), e.Arg("n")
	beta1, keep1 := e.broadcastArg("beta1"), e.broadcastArg("keep1")
	beta2, keep2 := e.broadcastArg("beta2"), e.broadcastArg("keep2")
	epsilon, rate, scale := e.broadcastArg("epsilon"), e.broadcastArg("rate"), e.broadcastArg("scale")
	e.eachInFlight(n, func(s span) {
		e.Comment("s = scale·gradient")
		d := s.load(g)
		e.VFMUL(scale, d, d)

		e.Comment("v = beta2·v + keep2·s², 0 below AverageFloor; root = √v + epsilon")
		root := e.meanSquare(beta2, keep2, s.load(v), d)
		s.store(root, v)
		e.VFSQRT(root, root)
		e.VFADD(epsilon, root, root)

		e.Comment("m = beta1·m + keep1·s, 0 where |m| < AverageFloor")
		e.VFMUL(keep1, d, d)
		e.VFMLA(beta1, s.load(m), d)
		size := e.Vector()
		e.VFABS(d, size)
		e.clear(e.larger(e.averageFloor(), size), d)
		s.store(d, m)

		e.Comment("x = x - rate·m/root")
		e.VFMUL(rate, d, d)
		e.VFDIV(root, d, d)
		p := s.load(x)
		e.VFSUB(d, p, p)
		s.store(p, x)
	})
	e.end()
}

func (e *emitter) movingAverage() {
	e.function(decl.MovingAverage)
	average, x, n, rate := e.Arg("average"), e.Arg("x"), e.Arg("n"), e.broadcastArg("rate")
	e.eachInFlight(n, func(s span) {
		e.Comment("average = average + rate·(x - average)")
		d, mean := s.load(x), s.load(average)
		e.VFSUB(mean, d, d)
		e.VFMLA(d, rate, mean)
		s.store(mean, average)
	})
	e.end()
}
