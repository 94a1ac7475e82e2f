package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// MovingAverage writes the step of a moving average.
func MovingAverage(file *a64.File) {
	e := newEmitter(file)
	e.function(decl.MovingAverage)
	average, x, n, rate := e.Arg("average"), e.Arg("x"), e.Arg("n"), e.broadcastArg("rate")
	e.eachInFlight(n, func(s span) {
		d, mean := s.load(x), s.load(average)
		e.VFSUB(mean, d, d)
		e.VFMLA(d, rate, mean)
		s.store(mean, average)
	})
	e.end()
}
