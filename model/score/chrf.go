package score

import (
	"fmt"
	"strings"
)

// maxCharacters is the length of the longest n-grams.
const maxCharacters = 6

// ChrFStatistics holds the counts from which chrF2 of a corpus is computed (Popović, 2015 and 2016), the F-score
// of character n-grams with β = 2, as sacreBLEU (Post, 2018) computes it by default: case-sensitive,
// n-grams of 1 to 6 characters without white space, no word n-grams, averaged over the orders that occur.
// The zero value is an empty corpus. Concurrent reads are safe; a write excludes all other uses.
type ChrFStatistics struct {
	matches    [maxCharacters]int // hypothesis n-grams also found in the reference
	hypothesis [maxCharacters]int // hypothesis n-grams
	reference  [maxCharacters]int // reference n-grams
}

// Add adds a sentence, compared with the reference that gives it the highest
// [ChrFStatistics.ChrF2], the first one in a tie. Hypothesis n-grams of an order that the
// reference is too short for do not count. Sentences may be empty. Bytes that are not UTF-8
// count as characters.
func (s *ChrFStatistics) Add(hypothesis string, references ...string) {
	h := newCharacters(hypothesis)
	var best ChrFStatistics
	for i, reference := range references {
		counts := compare(h, newCharacters(reference))
		if i == 0 || counts.ChrF2() > best.ChrF2() {
			best = counts
		}
	}
	s.Merge(&best)
}

// Merge adds the counts of other, which may be a sentence or a corpus. It panics if other is nil.
func (s *ChrFStatistics) Merge(other *ChrFStatistics) {
	if other == nil {
		panic("score: Merge: nil statistics")
	}
	for n := range maxCharacters {
		s.matches[n] += other.matches[n]
		s.hypothesis[n] += other.hypothesis[n]
		s.reference[n] += other.reference[n]
	}
}

// ChrF2 returns, in percent from 0 to 100,
//
//	100 · (1 + β²)·P·R / (β²·P + R)
//
// for β = 2. The precision P and the recall R are the fractions of the hypothesis and
// reference n-grams that match, averaged over the orders n that both sides have n-grams of.
// The result is 0 if nothing matches.
func (s *ChrFStatistics) ChrF2() float64 {
	const beta2 = 2 * 2
	precision, recall := s.precisionRecall()
	if precision == 0 {
		return 0
	}
	return 100 * ((1 + beta2) * precision * recall / (float64(beta2*precision) + recall))
}

// SacreBLEU returns the line that sacreBLEU prints, with two decimals and without its version:
// a signature with the number of references per sentence, then [ChrFStatistics.ChrF2].
func (s *ChrFStatistics) SacreBLEU(references int) string {
	return fmt.Sprintf("chrF2|nrefs:%d|case:mixed|eff:yes|nc:%d|nw:0|space:no = %.2f", references, maxCharacters, s.ChrF2())
}

// precisionRecall returns P and R of ChrF2, 0 if no order counts.
func (s *ChrFStatistics) precisionRecall() (precision, recall float64) {
	orders := 0
	for n, count := range s.matches {
		if s.hypothesis[n] > 0 && s.reference[n] > 0 {
			precision += float64(count) / float64(s.hypothesis[n])
			recall += float64(count) / float64(s.reference[n])
			orders++
		}
	}
	if orders == 0 {
		return 0, 0
	}
	return precision / float64(orders), recall / float64(orders)
}

// compare returns the counts of a sentence with one reference.
func compare(hypothesis, reference characters) (s ChrFStatistics) {
	for n := range maxCharacters {
		s.reference[n] = reference.ngrams(n + 1)
		if s.reference[n] > 0 {
			s.hypothesis[n] = hypothesis.ngrams(n + 1)
			s.matches[n] = matchCharacters(hypothesis, reference, n+1)
		}
	}
	return s
}

// matchCharacters returns the number of hypothesis n-grams found in the reference. Each reference
// n-gram matches once.
func matchCharacters(hypothesis, reference characters, n int) int {
	remaining := make(map[string]int, reference.ngrams(n))
	for i := range reference.ngrams(n) {
		remaining[reference.ngram(i, n)]++
	}
	count := 0
	for i := range hypothesis.ngrams(n) {
		g := hypothesis.ngram(i, n)
		if remaining[g] > 0 {
			remaining[g]--
			count++
		}
	}
	return count
}

// characters is a sentence without white space.
type characters struct {
	text   string
	starts []int // offset of each character in text, then the length of text
}

func newCharacters(sentence string) characters {
	text := strings.Join(strings.FieldsFunc(sentence, isSpace), "")
	starts := make([]int, 0, len(text)+1)
	for i := range text {
		starts = append(starts, i)
	}
	return characters{text, append(starts, len(text))}
}

func (c characters) ngrams(n int) int { return max(0, len(c.starts)-n) }

// ngram returns the n-gram that starts at character i.
func (c characters) ngram(i, n int) string { return c.text[c.starts[i]:c.starts[i+n]] }
