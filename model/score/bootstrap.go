package score

import (
	"math"
	"slices"

	"github.com/softsearch-go/softsearch/model/internal/portable"
)

const (
	badScore = "score: n out of range, or nil score"

	maxSentences = 1 << 28 // whose indices take 2 GiB
)

// Samples is how many samples bootstrap resampling (Koehn, 2004) draws from a corpus, each with replacement and
// as large as the corpus. They depend on the seed and the size of the corpus alone: results are the same on
// every machine and with every release of Go.
const Samples = 1000

// A Score returns the score of the corpus formed by the sentences with these indices. An index
// may occur more than once or not at all. A Score must not keep the slice.
type Score func(sentences []int) float64

// Subset returns the score of a smaller corpus, whose sentence i is sentences[i] of the corpus
// of s. It keeps sentences.
func (s Score) Subset(sentences []int) Score {
	return func(sample []int) float64 {
		selected := make([]int, len(sample))
		for i, j := range sample {
			selected[i] = sentences[j]
		}
		return s(selected)
	}
}

// An Interval is the range from Low to High, both included.
type Interval struct{ Low, High float64 }

// Confidence returns the interval that holds 95 % of the sample scores of a corpus of n ≥ 0
// sentences: all but the 25 lowest and the 25 highest. It panics if n is negative or above 2²⁸, or score is
// nil.
func Confidence(n int, seed uint64, score Score) Interval {
	check(n, score)
	return interval(sampleScores(n, seed, score))
}

// A Comparison is the result of paired bootstrap resampling of two systems.
type Comparison struct {
	System, Baseline float64  // scores of the corpus
	Interval         Interval // 95 % of the differences System - Baseline over the samples
	P                float64  // p-value of the difference, from 1/(Samples+1) to 1
}

// Compare scores a system and a baseline on a corpus of n ≥ 0 sentences and on the samples
// that [Confidence] draws from it.
//
// P is the p-value under the null hypothesis that the same process produced both translations,
// as in the Moses script bootstrap-hypothesis-difference-significance.pl and in sacreBLEU
// (Riezler and Maxwell, 2005). With d the difference on the corpus and dᵢ those on the samples,
//
//	P = (1 + number of i with |dᵢ| - mean |dⱼ| ≥ |d|) / (1 + Samples)
//
// The 1 is from sacreBLEU. The ≥ is from Moses and gives 1 when a system is compared with
// itself. If almost all dᵢ have the same sign, P is one tail of their distribution. Compare panics where
// Confidence does.
func Compare(n int, seed uint64, system, baseline Score) Comparison {
	check(n, system)
	check(n, baseline)
	corpus := make([]int, n)
	for i := range corpus {
		corpus[i] = i
	}
	c := Comparison{System: system(corpus), Baseline: baseline(corpus)}
	differences := sampleScores(n, seed, func(sample []int) float64 { return system(sample) - baseline(sample) })
	c.P = pValue(differences, c.System-c.Baseline)
	c.Interval = interval(differences)
	return c
}

func check(n int, score Score) {
	if n < 0 || n > maxSentences || score == nil {
		panic(badScore)
	}
}

// stream separates these random numbers from other packages' for the same seed.
const stream = 2004

// sampleScores returns the score of every sample of a corpus of n sentences.
func sampleScores(n int, seed uint64, score Score) []float64 {
	r := portable.NewGenerator(seed, stream)
	sample := make([]int, n)
	results := make([]float64, Samples)
	for i := range results {
		for j := range sample {
			sample[j] = r.Below(n)
		}
		results[i] = score(sample)
	}
	return results
}

// interval returns the range of values without the lowest and the highest fortieth. It sorts
// values.
func interval(values []float64) Interval {
	slices.Sort(values)
	cut := len(values) / 40
	return Interval{values[cut], values[len(values)-1-cut]}
}

// pValue returns P of Compare for the differences on the samples and on the corpus.
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
