package bleu

// order is the length of the longest n-gram that counts.
const order = 4

// Statistics holds what BLEU needs to know about a corpus. The zero value is an empty
// corpus. It must not be used by several goroutines at once while one of them changes it.
type Statistics struct {
	matches    [order]int // n-grams of the hypotheses that their references have too
	total      [order]int // n-grams of the hypotheses
	hypothesis int        // tokens
	reference  int        // tokens
}

// Add counts one sentence and its references. An n-gram of the hypothesis matches at most as
// often as one of the references contains it. The reference that is nearest to the hypothesis
// in length, the shorter one of two, adds its length. Any sentence may be empty; none is kept.
func (s *Statistics) Add(hypothesis []string, references ...[]string) {
	s.hypothesis += len(hypothesis)
	s.reference += nearest(len(hypothesis), references)
	for n := 1; n <= order; n++ {
		s.matches[n-1] += matches(hypothesis, references, n)
		s.total[n-1] += max(0, len(hypothesis)-n+1)
	}
}

// Merge adds the counts of other, which may be those of a sentence or of a corpus.
func (s *Statistics) Merge(other *Statistics) {
	for n := range order {
		s.matches[n] += other.matches[n]
		s.total[n] += other.total[n]
	}
	s.hypothesis += other.hypothesis
	s.reference += other.reference
}

// nearest returns the length of a reference that is nearest to length.
func nearest(length int, references [][]string) int {
	best := 0
	for i, r := range references {
		n, far, least := len(r), distance(len(r), length), distance(best, length)
		if i == 0 || far < least || far == least && n < best {
			best = n
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }
