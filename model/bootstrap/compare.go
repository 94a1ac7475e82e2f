package bootstrap

import "math"

// A Comparison is what paired bootstrap resampling tells about two systems.
type Comparison struct {
	System, Baseline float64  // the scores of the corpus
	Interval         Interval // holds 95 % of the differences in the samples, system less baseline
	P                float64  // from 1/(Samples+1) to 1: how likely such a difference is by chance
}

// Compare scores a system and a baseline on a corpus of n ≥ 0 sentences and on the same
// samples of it, those of [Confidence].
//
// P is the p-value of the null hypothesis that one process has made both translations, as the
// Moses script bootstrap-hypothesis-difference-significance.pl and sacreBLEU compute it
// (Riezler and Maxwell, 2005). With d the difference of the corpus and dᵢ those of the samples,
//
//	P = (1 + number of i for which |dᵢ| - mean |dⱼ| ≥ |d|) / (1 + Samples)
//
// in which the 1 is sacreBLEU's and the ≥, by which a system compared with itself gets 1, that
// of Moses. Where almost all dᵢ have one sign, P is one tail of their distribution.
func Compare(n int, seed uint64, system, baseline Score) Comparison {
	corpus := make([]int, n)
	for i := range corpus {
		corpus[i] = i
	}
	c := Comparison{System: system(corpus), Baseline: baseline(corpus)}
	differences := scores(n, seed, func(sample []int) float64 { return system(sample) - baseline(sample) })
	c.P = pValue(differences, c.System-c.Baseline)
	c.Interval = interval(differences)
	return c
}

// pValue returns P for the differences of the samples and of the corpus.
func pValue(differences []float64, difference float64) float64 {
	mean := 0.0
	for _, d := range differences {
		mean += math.Abs(d)
	}
	mean /= float64(len(differences))
	count := 1
	for _, d := range differences {
		if math.Abs(d)-mean >= math.Abs(difference) {
			count++
		}
	}
	return float64(count) / float64(len(differences)+1)
}
