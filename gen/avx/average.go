package avx

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// MovingAverage writes the step of a moving average.
func MovingAverage(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.function(decl.MovingAverage)
	average, x, n, rate := e.arg("average"), e.arg("x"), e.arg("n"), e.broadcastArg("rate")
	e.each(n, func(s span) {
		d, mean := s.load(x), s.load(average)
		e.VSUBPS(mean, d, d)
		e.VFMADD231PS(d, rate, mean)
		s.store(mean, average)
	})
	e.end()
}
