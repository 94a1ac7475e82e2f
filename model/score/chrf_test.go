package score

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// A judged is a hypothesis and its references.
type judged []string

func statistics(corpus ...judged) *ChrFStatistics {
	var s ChrFStatistics
	for _, c := range corpus {
		s.Add(c[0], c[1:]...)
	}
	return &s
}

// TestPublished compares with scores of sacreBLEU in its documentation and tests and in projects
// that call it. Of its tests with β = 3, it has those where precision equals recall, so β does
// not matter.
func TestPublished(t *testing.T) {
	for _, test := range []struct {
		source    string
		corpus    []judged
		want      float64
		tolerance float64
	}{
		{"mjpost/sacrebleu, README.md, Using SacreBLEU from Python", []judged{
			{"The dog bit the man.", "The dog bit the man.", "The dog had bit the man."},
			{"It wasn't surprising.", "It was not unexpected.", "No one was surprised."},
			{"The man had just bitten him.", "The man bit him first.", "The man had bitten the dog."},
		}, 59.73, 0.005},
		{"huggingface/datasets, metrics/chrf/README.md, first version", []judged{
			{"The relationship between Obama and Netanyahu is not exactly friendly.",
				"The ties between Obama and Netanyahu are not particularly friendly."},
		}, 61.576379378113785, 1e-12},
		{"huggingface/evaluate, metrics/chrf/chrf.py, example 1", []judged{
			{"The relationship between cats and dogs is not exactly friendly.",
				"The relationship between dogs and cats is not exactly friendly."},
			{"a good bookshop is just a genteel black hole that knows how to read.",
				"A good bookshop is just a genteel Black Hole that knows how to read."},
		}, 84.64214891738334, 1e-12},
		{"mjpost/sacrebleu, test/test_chrf.py, effective order", []judged{{"a", "a"}}, 100, 1e-12},
		{"mjpost/sacrebleu, test/test_chrf.py, effective order", []judged{{"", "reference"}}, 0, 0},
		{"mjpost/sacrebleu, test/test_chrf.py, effective order", []judged{{"a b c", "a b c"}}, 100, 1e-12},
		{"mjpost/sacrebleu, test/test_chrf.py, effective order", []judged{{"a b c", "abc"}}, 100, 1e-12},
		{"mjpost/sacrebleu, test/test_chrf.py, effective order", []judged{{"", "c"}}, 0, 0},
		{"mjpost/sacrebleu, test/test_chrf.py, effective order", []judged{{"a", "a"}, {"b", "c"}}, 50, 1e-12},
		{"mjpost/sacrebleu, test/test_chrf.py, effective order", []judged{{"aa", "ab"}}, 25, 1e-12},
		{"mjpost/sacrebleu, test/test_chrf.py", []judged{{"abcdefg", "hijklmnop"}}, 0, 0},
		{"mjpost/sacrebleu, test/test_chrf.py", []judged{
			{"Niemand hat die Absicht, eine Mauer zu errichten", "Niemand hat die Absicht, eine Mauer zu errichten"}}, 100, 1e-12},
	} {
		if got := statistics(test.corpus...).ChrF2(); !(math.Abs(got-test.want) <= test.tolerance) {
			t.Errorf("%s, %q: %v, want %v", test.source, test.corpus, got, test.want)
		}
	}
}

// TestByHand has scores computed by hand from the precisions and recalls in the comments.
func TestByHand(t *testing.T) {
	for _, test := range []struct {
		name   string
		corpus []judged
		want   float64
	}{
		{"empty corpus", nil, 0},
		{"no reference", []judged{{"a"}}, 0},
		{"empty", []judged{{"", ""}}, 0},
		{"white space", []judged{{" \t\u00a0\x1c", "a"}}, 0},
		// 2/3, 1/2 and 0/1.
		{"precision and recall equal", []judged{{"abc", "abd"}}, 100 * 7.0 / 18},
		// P is 1 and R is the mean of 2/3 and 1/2: the 3-gram of the reference does not count.
		{"reference longer", []judged{{"ab", "abc"}}, 100 * 7.0 / 11},
		// P is the mean of 2/3 and 1/2 and R is 1.
		{"hypothesis longer", []judged{{"abc", "ab"}}, 100 * 7.0 / 8},
		// P is the mean of 5/6, 3/4 and 1/1: the first hypothesis's 3-gram does not count.
		{"reference without 3-grams", []judged{{"abc", "ab"}, {"abc", "abc"}}, 100 * 31.0 / 32},
		// Matches of 2/4 and 1/3, 0/2, 0/1: each "a" of the reference matches once.
		{"clipped", []judged{{"aaaa", "aabb"}}, 100 * 5.0 / 24},
		{"case", []judged{{"A", "a"}}, 0},
		{"the better reference", []judged{{"abc", "xyz", "abd", "abe"}}, 100 * 7.0 / 18},
		{"the better reference for each judged", []judged{{"a", "a", "b"}, {"b", "a", "b"}}, 100},
		// One of two characters matches, and no bigram.
		{"characters, not bytes", []judged{{"éà", "éè"}}, 25},
		{"bytes that are not UTF-8", []judged{{"\xff\xfe", "\xff\xfd"}}, 25},
	} {
		if got := statistics(test.corpus...).ChrF2(); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestChrFSacreBLEU(t *testing.T) {
	got := statistics(judged{"ab", "abc", "xyz"}).SacreBLEU(2)
	if want := "chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no = 63.64"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestChrFMachines checks that chrF has the same bits on every machine.
func TestChrFMachines(t *testing.T) {
	const want = "aebcffcf1c5e4596"
	r := rand.New(rand.NewPCG(2, 2015))
	h := fnv.New64a()
	for range 1000 {
		var s ChrFStatistics
		for n := range maxCharacters {
			s.hypothesis[n], s.reference[n] = 1+r.IntN(100_000), 1+r.IntN(100_000)
			s.matches[n] = r.IntN(1 + min(s.hypothesis[n], s.reference[n]))
		}
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(s.ChrF2())))
	}
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("hash of 1000 values: %s, want %s", got, want)
	}
}

// naiveCharacterMatches searches the unmatched n-grams of the reference for each n-gram of the hypothesis.
func naiveCharacterMatches(hypothesis, reference []rune, n int) int {
	used := make([]bool, len(reference))
	count := 0
	for i := range max(0, len(hypothesis)-n+1) {
		for j := range max(0, len(reference)-n+1) {
			if !used[j] && string(hypothesis[i:i+n]) == string(reference[j:j+n]) {
				used[j] = true
				count++
				break
			}
		}
	}
	return count
}

// FuzzChrF compares Add with a naive count, and Merge with a second Add.
func FuzzChrF(f *testing.F) {
	f.Add("a b c d", "a b c d")
	f.Add("", "a")
	f.Add("été aaaa", "étaaa é\u2003a")
	f.Add("\xff\xc3", "\xc3\xff\xff")
	f.Fuzz(func(t *testing.T, hypothesis, reference string) {
		var s, twice ChrFStatistics
		s.Add(hypothesis, reference)
		if utf8.ValidString(hypothesis) && utf8.ValidString(reference) && len(hypothesis)+len(reference) < 200 {
			h := []rune(strings.Join(strings.FieldsFunc(hypothesis, isSpace), ""))
			r := []rune(strings.Join(strings.FieldsFunc(reference, isSpace), ""))
			for n := range maxCharacters {
				if want := naiveCharacterMatches(h, r, n+1); s.matches[n] != want {
					t.Errorf("%d matches of %d-grams, want %d", s.matches[n], n+1, want)
				}
			}
		}
		twice.Add(hypothesis, reference)
		twice.Merge(&s)
		s.Add(hypothesis, reference)
		if s != twice {
			t.Errorf("two sentences added: %v, merged: %v", s, twice)
		}
		if c := s.ChrF2(); !(0 <= c && c <= 100+1e-9) {
			t.Errorf("ChrF2() = %v", c)
		}
	})
}
