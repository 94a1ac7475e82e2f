package bootstrap

import "slices"

// An Interval reaches from Low to High, both included.
type Interval struct{ Low, High float64 }

// Confidence returns the interval that holds 95 % of the scores of the samples of a corpus of
// n ≥ 0 sentences: without the 25 lowest and the 25 highest.
func Confidence(n int, seed uint64, score Score) Interval {
	return interval(scores(n, seed, score))
}

// interval returns the interval without a fortieth of the values on either side. It sorts
// them.
func interval(values []float64) Interval {
	slices.Sort(values)
	cut := len(values) / 40
	return Interval{values[cut], values[len(values)-1-cut]}
}
