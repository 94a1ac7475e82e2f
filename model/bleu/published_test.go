package bleu

import (
	"math"
	"strings"
	"testing"
)

// against returns the counts of one sentence of tokens.
func against(hypothesis string, references ...string) *Statistics {
	var s Statistics
	s.Add(strings.Fields(hypothesis), fields(references)...)
	return &s
}

func fields(sentences []string) (tokens [][]string) {
	for _, s := range sentences {
		tokens = append(tokens, strings.Fields(s))
	}
	return tokens
}

// The sentences of the BLEU paper's first example, as NLTK has them.
const (
	guide  = "It is a guide to action which ensures that the military always obeys the commands of the party"
	guideA = "It is a guide to action that ensures that the military will forever heed Party commands"
	guideB = "It is the guiding principle which guarantees the military forces always being under the command of the Party"
	guideC = "It is the practical guide for the army always to heed the directions of the party"
)

// TestMultiBLEU holds what other projects obtained from multi-bleu.perl, or from code that
// computes the same.
func TestMultiBLEU(t *testing.T) {
	const fox = "The quick brown fox jumps over the lazy dog 笑"
	foxes := against("The brown fox jumps over the dog 笑", fox)
	foxes.Merge(against("The brown fox jumps over the dog 2 笑", fox))
	book := against(guide, guideA, guideB, guideC)
	book.Merge(against("he read the book because he was interested in world history",
		"he was interested in world history because he read the book"))
	for _, test := range []struct {
		source    string
		s         *Statistics
		want      float64
		tolerance float64
	}{
		{"google/seq2seq, seq2seq/test/metrics_test.py", foxes, 46.51, 0.005},
		{"PetrochukM/PyTorch-NLP, README.md", against("The brown fox jumps over the dog 笑", fox), 47.9, 0.05},
		{"insight-centre/naisc, BLEUTest.java", against("the quick brown fox jumped over the lazy dog",
			"the fast brown fox jumped over the sleepy dog"), 48.549177, 5e-5},
		{"nltk/nltk, nltk/translate/bleu_score.py, sentence_bleu", against(guide, guideA, guideB, guideC), 50.455, 0.005},
		{"nltk/nltk, nltk/translate/bleu_score.py, corpus_bleu", book, 59.205, 0.005},
		{"mjpost/sacrebleu, test/test_bleu.py, test_case_scoring",
			&Statistics{matches: [order]int{9, 7, 5, 3}, total: [order]int{10, 8, 6, 4}, hypothesis: 11, reference: 11}, 83.75922397, 1e-8},
	} {
		if got := test.s.BLEU(); math.Abs(got-test.want) > test.tolerance {
			t.Errorf("%s: BLEU() = %v, want %v ± %v", test.source, got, test.want, test.tolerance)
		}
	}
}

// TestReferences counts matches and lengths by hand, but for the BLEU paper's examples, whose
// shares of unigrams and bigrams are in its section 2.1.
func TestReferences(t *testing.T) {
	for _, test := range []struct {
		name       string
		hypothesis string
		references []string
		matches    [order]int
		reference  int
	}{
		{"no reference", "a b", nil, [order]int{}, 0},
		{"the paper's second example", "the the the the the the the",
			[]string{"the cat is on the mat", "there is a cat on the mat"}, [order]int{2}, 7},
		// "the" twice in one reference, "cat" in the other.
		{"n-grams of different references", "the the cat", []string{"the the", "a cat"}, [order]int{3, 1}, 2},
		{"the first is nearer", "a a a a", []string{"a a a", "a a a a a a"}, [order]int{4, 3, 2, 1}, 3},
		{"the second is nearer", "a a a a", []string{"a", "a a a a a a"}, [order]int{4, 3, 2, 1}, 6},
		{"longer before shorter", "a a a a", []string{"a a a a a", "a a a"}, [order]int{4, 3, 2, 1}, 3},
		{"shorter before longer", "a a a a", []string{"a a a", "a a a a a"}, [order]int{4, 3, 2, 1}, 3},
		{"empty reference", "a a a", []string{"", "b b b b b b b"}, [order]int{}, 0},
		{"the paper's first example, candidate 1", guide, []string{guideA, guideB, guideC}, [order]int{17, 10, 7, 4}, 18},
		{"the paper's first example, candidate 2",
			"It is to insure the troops forever hearing the activity guidebook that party direct",
			[]string{guideA, guideB, guideC}, [order]int{8, 1}, 16},
	} {
		s := against(test.hypothesis, test.references...)
		if s.matches != test.matches || s.reference != test.reference {
			t.Errorf("%s: matches %v and length %d, want %v and %d", test.name, s.matches, s.reference, test.matches, test.reference)
		}
	}
}

// Brevity penalties that nltk/translate/bleu_score.py gives for references of these lengths.
func TestBrevity(t *testing.T) {
	for _, test := range []struct {
		lengths []int
		want    float64
	}{
		{[]int{12, 15, 17}, 1}, {[]int{28, 28}, 0.2635971381157267}, {[]int{13, 2}, 0.9200444146293233}, {[]int{13, 11}, 1}, {[]int{11, 13}, 1},
	} {
		var references []string
		for _, n := range test.lengths {
			references = append(references, strings.Repeat("a ", n))
		}
		if got := against(strings.Repeat("a ", 12), references...).brevity(); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("12 tokens against %v: %v, want %v", test.lengths, got, test.want)
		}
	}
}
