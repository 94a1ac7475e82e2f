package bleu

import (
	"fmt"
	"math"
)

// order is the length of the longest n-gram that counts.
const order = 4

// Statistics holds what BLEU needs to know about a corpus. The zero value is an empty
// corpus. It must not be used by several goroutines at once while one of them calls Add.
type Statistics struct {
	matches    [order]int // n-grams of the hypotheses that their reference has too
	total      [order]int // n-grams of the hypotheses
	hypothesis int        // tokens
	reference  int        // tokens
}

// Add counts one sentence. An n-gram of the hypothesis matches at most as often as the
// reference contains it. Both sentences may be empty; neither is kept.
func (s *Statistics) Add(hypothesis, reference []string) {
	s.hypothesis += len(hypothesis)
	s.reference += len(reference)
	for n := 1; n <= order; n++ {
		available := ngrams(reference, n)
		for gram, count := range ngrams(hypothesis, n) {
			s.total[n-1] += count
			s.matches[n-1] += min(count, available[gram])
		}
	}
}

// ngrams counts the n-grams of a sentence.
func ngrams(sentence []string, n int) map[[order]string]int {
	counts := make(map[[order]string]int, len(sentence))
	for i := 0; i+n <= len(sentence); i++ {
		var gram [order]string
		copy(gram[:], sentence[i:i+n])
		counts[gram]++
	}
	return counts
}

// BLEU returns, in percent from 0 to 100,
//
//	100 · BP · (p₁ p₂ p₃ p₄)^¼
//
// where pₙ is the share of the hypotheses' n-grams that match and BP = exp(1 - r/h) if the
// hypotheses' h tokens are fewer than the references' r, and 1 otherwise. It is 0 where one
// of the shares is, and for an empty corpus.
func (s *Statistics) BLEU() float64 {
	product := 1.0
	for n := range order {
		product *= s.precision(n)
	}
	return 100 * (s.brevity() * math.Sqrt(math.Sqrt(product)))
}

// precision returns the share of the (n+1)-grams that match, 0 if there are none.
func (s *Statistics) precision(n int) float64 {
	if s.total[n] == 0 {
		return 0
	}
	return float64(s.matches[n]) / float64(s.total[n])
}

// brevity returns the brevity penalty; without one token in the hypotheses it is 0.
func (s *Statistics) brevity() float64 {
	if s.hypothesis >= s.reference {
		return 1
	}
	return exponential(1 - float64(s.reference)/float64(s.hypothesis))
}

// exponential returns eˣ for x ≤ 0, the same bits on every architecture (math.Exp is assembly
// on some of them).
//
// x = n·ln 2 + r with |r| ≤ ln 2 / 2, and the Taylor series of eʳ is cut after r¹⁴ (error
// below 2⁻⁵⁶).
func exponential(x float64) float64 {
	const underflow = -745.2
	if x < underflow {
		return 0
	}
	n := math.Round(x / math.Ln2)
	r := x - float64(n*math.Ln2)
	t := 1.0
	for k := 14; k > 0; k-- {
		t = 1 + float64(t*r)/float64(k)
	}
	return math.Ldexp(t, int(n))
}

// String returns the line that multi-bleu.perl prints: BLEU, the four precisions, the
// brevity penalty, the ratio of the lengths, and the lengths in tokens.
func (s *Statistics) String() string {
	if s.reference == 0 {
		return "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"
	}
	return fmt.Sprintf("BLEU = %.2f, %.1f/%.1f/%.1f/%.1f (BP=%.3f, ratio=%.3f, hyp_len=%d, ref_len=%d)",
		s.BLEU(), 100*s.precision(0), 100*s.precision(1), 100*s.precision(2), 100*s.precision(3),
		s.brevity(), float64(s.hypothesis)/float64(s.reference), s.hypothesis, s.reference)
}
