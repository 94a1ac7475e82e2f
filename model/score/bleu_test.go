package score

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A corpus alternates hypotheses and references.
type corpus []string

func (c corpus) statistics() *BLEUStatistics {
	var s BLEUStatistics
	for i := 0; i < len(c); i += 2 {
		s.Add(strings.Fields(c[i]), strings.Fields(c[i+1]))
	}
	return &s
}

func TestString(t *testing.T) {
	tests := []struct {
		name   string
		corpus corpus
		want   string
	}{
		{"nothing", nil,
			"BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"},
		{"reference empty", corpus{"a b", ""},
			"BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"},
		{"hypothesis empty", corpus{"", "a b c d"},
			"BLEU = 0.00, 0.0/0.0/0.0/0.0 (BP=0.000, ratio=0.000, hyp_len=0, ref_len=4)"},
		{"equal", corpus{"a b c d", "a b c d"},
			"BLEU = 100.00, 100.0/100.0/100.0/100.0 (BP=1.000, ratio=1.000, hyp_len=4, ref_len=4)"},
		{"too short for a 4-gram", corpus{"a b c", "a b c"},
			"BLEU = 0.00, 100.0/100.0/100.0/0.0 (BP=1.000, ratio=1.000, hyp_len=3, ref_len=3)"},
		// Output of multi-bleu.perl in gist.github.com/alvations/e5922afa8c91472d25c58b2d712a93e7.
		{"two words", corpus{"foo bar", "foo bar"},
			"BLEU = 0.00, 100.0/100.0/0.0/0.0 (BP=1.000, ratio=1.000, hyp_len=2, ref_len=2)"},
		{"case-sensitive", corpus{"A b c d", "a b c d"},
			"BLEU = 0.00, 75.0/66.7/50.0/0.0 (BP=1.000, ratio=1.000, hyp_len=4, ref_len=4)"},
		// 5/6, 4/5, 3/4, 2/3: the fourth root of 1/3 is 0.75984.
		{"one word off", corpus{"the cat sat on the mat", "a cat sat on the mat"},
			"BLEU = 75.98, 83.3/80.0/75.0/66.7 (BP=1.000, ratio=1.000, hyp_len=6, ref_len=6)"},
		// The example of the BLEU paper: "the" occurs twice in the reference and matches twice.
		{"clipped", corpus{"the the the the the the the", "the cat is on the mat"},
			"BLEU = 0.00, 28.6/0.0/0.0/0.0 (BP=1.000, ratio=1.167, hyp_len=7, ref_len=6)"},
		// exp(1-10/5) = 0.36788; every n-gram matches.
		{"half", corpus{"a b c d e", "a b c d e f g h i j"},
			"BLEU = 36.79, 100.0/100.0/100.0/100.0 (BP=0.368, ratio=0.500, hyp_len=5, ref_len=10)"},
		// 7/9, 4/7, 2/5, 1/3: (0.059259)^¼ = 0.49339, times exp(1-10/9) = 0.89484.
		{"two sentences", corpus{"a b c d", "a b c d", "x b c y e", "a b c d e f"},
			"BLEU = 44.15, 77.8/57.1/40.0/33.3 (BP=0.895, ratio=0.900, hyp_len=9, ref_len=10)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.corpus.statistics().String(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestMachines checks that BLEU and Smoothed have the same bits on every machine.
func TestMachines(t *testing.T) {
	const want, wantSmoothed = "4437ec30b056887e", "1339a50447d86891"
	r := rand.New(rand.NewPCG(1, 2002))
	h, smoothed := fnv.New64a(), fnv.New64a()
	for i := range 1000 {
		s := BLEUStatistics{hypothesis: 1000 + r.IntN(1000), reference: 1000 + r.IntN(3000)}
		for n := range maxOrder {
			s.total[n] = 1000 + r.IntN(100_000)
			s.matches[n] = 1 + r.IntN(s.total[n])
		}
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(s.BLEU())))
		clear(s.matches[1+i%maxOrder:])
		smoothed.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(s.Smoothed())))
	}
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("hash of 1000 values: %s, want %s", got, want)
	}
	if got := fmt.Sprintf("%016x", smoothed.Sum64()); got != wantSmoothed {
		t.Errorf("hash of 1000 smoothed values: %s, want %s", got, wantSmoothed)
	}
}

// TestOpaqueTokens: tokens may contain spaces or be empty.
func TestOpaqueTokens(t *testing.T) {
	var s BLEUStatistics
	s.Add([]string{"a b", "c"}, []string{"a", "b c"})
	s.Add([]string{"a", ""}, []string{"a"})
	if s.matches != [maxOrder]int{1} || s.total != [maxOrder]int{4, 2} {
		t.Errorf("matches %v of %v, want [1 0 0 0] of [4 2 0 0]", s.matches, s.total)
	}
}

// naiveMatches searches every sentence for each distinct n-gram of the hypothesis.
func naiveMatches(hypothesis []string, references [][]string, n int) int {
	occurrences := func(sentence, gram []string) int {
		count := 0
		for i := range max(0, len(sentence)-n+1) {
			if slices.Equal(sentence[i:i+n], gram) {
				count++
			}
		}
		return count
	}
	sum := 0
	for i := range max(0, len(hypothesis)-n+1) {
		gram := hypothesis[i : i+n]
		if occurrences(hypothesis[:i+n], gram) > 1 {
			continue
		}
		maximum := 0
		for _, r := range references {
			maximum = max(maximum, occurrences(r, gram))
		}
		sum += min(maximum, occurrences(hypothesis, gram))
	}
	return sum
}

// FuzzBLEU compares Add with a naive count, and Merge with a second Add.
func FuzzBLEU(f *testing.F) {
	f.Add("a b c d", "a b c d", "")
	f.Add("", "a", "a a")
	f.Add("a a a a a", "a a b a a a", "b a a a a b")
	f.Fuzz(func(t *testing.T, hypothesis, first, second string) {
		h, references := strings.Fields(hypothesis), fields([]string{first, second})
		var s, twice BLEUStatistics
		s.Add(h, references...)
		for n := range maxOrder {
			if want := naiveMatches(h, references, n+1); s.matches[n] != want {
				t.Errorf("%d matches of %d-grams, want %d", s.matches[n], n+1, want)
			}
		}
		twice.Add(h, references...)
		twice.Merge(&s)
		s.Add(h, references...)
		if s != twice {
			t.Errorf("two sentences added: %v, merged: %v", s, twice)
		}
		if plain, smooth := s.BLEU(), s.Smoothed(); !(0 <= plain && plain <= smooth*(1+1e-12) && smooth <= 100+1e-9) {
			t.Errorf("BLEU() = %v, Smoothed() = %v", plain, smooth)
		}
		if strings.Contains(s.String()+s.SacreBLEU(2), "NaN") {
			t.Error(s.String(), s.SacreBLEU(2))
		}
	})
}
