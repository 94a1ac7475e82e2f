package chrf

// order is the length of the longest n-gram that counts.
const order = 6

// Statistics holds what chrF needs to know about a corpus. The zero value is an empty corpus.
// It must not be used by several goroutines at once while one of them changes it.
type Statistics struct {
	matches    [order]int // n-grams of the hypotheses that their reference has too
	hypothesis [order]int // n-grams of the hypotheses
	reference  [order]int // n-grams of the references
}

// Add counts one sentence against the one of its references that gives it the highest
// [Statistics.ChrF2], the first of several. N-grams of the hypothesis do not count if the
// reference is too short to have any of that length. Any sentence may be empty; bytes that are
// not UTF-8 are characters.
func (s *Statistics) Add(hypothesis string, references ...string) {
	h := newCharacters(hypothesis)
	var best Statistics
	for i, reference := range references {
		counts := compare(h, newCharacters(reference))
		if i == 0 || counts.ChrF2() > best.ChrF2() {
			best = counts
		}
	}
	s.Merge(&best)
}

// Merge adds the counts of other, which may be those of a sentence or of a corpus.
func (s *Statistics) Merge(other *Statistics) {
	for n := range order {
		s.matches[n] += other.matches[n]
		s.hypothesis[n] += other.hypothesis[n]
		s.reference[n] += other.reference[n]
	}
}

// compare counts one sentence against one reference.
func compare(hypothesis, reference characters) (s Statistics) {
	for n := range order {
		s.reference[n] = reference.ngrams(n + 1)
		if s.reference[n] > 0 {
			s.hypothesis[n] = hypothesis.ngrams(n + 1)
			s.matches[n] = matches(hypothesis, reference, n+1)
		}
	}
	return s
}
