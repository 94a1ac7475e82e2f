package elementwise

import "github.com/softsearch-go/softsearch/gen/decl"

// MovingAverage generates the moving average of parameters.
func MovingAverage[R, V any](t Target[R, V]) {
	t.Begin(decl.MovingAverage)
	average, x, n, rate := t.Arg("average"), t.Arg("x"), t.Arg("n"), t.Broadcast("rate")
	t.EachInFlight(n, func(s Span[R, V]) {
		t.Comment("average = average + rate·(x - average)")
		d, mean := s.Load(x), s.Load(average)
		t.Sub(mean, d, d)
		t.MulAdd(d, rate, mean)
		s.Store(mean, average)
	})
	t.End()
}
