package report

import (
	"math"
	"slices"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// Median returns the median of x, which is not empty: the mean of the two in the middle where
// there are two.
func Median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// Time returns the median time of an operation in ns, NaN without results.
func (r *Results) Time(c suite.Case, contender string) float64 {
	times := r.times[series{c, contender}]
	if len(times) == 0 {
		return math.NaN()
	}
	return Median(times)
}

// Ratio returns the median over rounds of the time of one contender by the time of another in
// the same round, so it is above 1 where ours takes less; NaN without results.
func (r *Results) Ratio(c suite.Case, theirs, ours string) float64 {
	return r.paired(c, theirs, ours, func(theirs, ours float64) float64 { return theirs / ours })
}

// ProbeCycles is what one operation of the contender cycle takes.
const ProbeCycles = 3

// Cycles returns the median over rounds of the cycles that an operation takes, by the probe of
// the same round; NaN without results.
func (r *Results) Cycles(c suite.Case, contender string) float64 {
	return r.paired(c, contender, "cycle", func(ns, probe float64) float64 { return ns / probe * ProbeCycles })
}

func (r *Results) paired(c suite.Case, a, b string, f func(a, b float64) float64) float64 {
	x, y := r.times[series{c, a}], r.times[series{c, b}]
	var values []float64
	for i := range min(len(x), len(y)) {
		values = append(values, f(x[i], y[i]))
	}
	if len(values) == 0 {
		return math.NaN()
	}
	return Median(values)
}
