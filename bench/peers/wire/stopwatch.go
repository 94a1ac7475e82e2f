package wire

import (
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/contender"
)

// A stopwatch times an operation and keeps the time of one run.
type stopwatch struct {
	op  contender.Operation
	one float64 // nanoseconds of one operation, 0 before the first
}

// An operation runs for 1/warmUp of a slice before it is timed, which brings its operands back
// into the caches.
const warmUp = 8

// measure runs the operation for about slice, at least once, and returns the number of runs and
// their time. An operation that takes longer than slice warms up only at its first call.
func (s *stopwatch) measure(slice time.Duration) (n int, took time.Duration) {
	if s.one == 0 {
		s.time(1)
	}
	if s.one < float64(slice) {
		s.time(s.fits(slice / warmUp))
	}
	n = s.fits(slice)
	return n, s.time(n)
}

// fits returns how many operations fit into d, at least 1.
func (s *stopwatch) fits(d time.Duration) int { return max(1, int(float64(d)/s.one)) }

// time runs the operation n times and returns how long it took.
func (s *stopwatch) time(n int) time.Duration {
	start := time.Now()
	s.op.Run(n)
	took := max(1, time.Since(start))
	s.one = float64(took) / float64(n)
	return took
}
