package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/text"
)

// pairsOfLengths returns pairs with these lengths of source and target.
func pairsOfLengths(lengths ...[2]int) []text.Pair {
	var pairs []text.Pair
	for i, n := range lengths {
		pairs = append(pairs, text.Pair{Source: wordsOf(n[0] + i)[i:], Target: wordsOf(n[1] + i)[i:]})
	}
	return pairs
}

// mixed returns pairs of mixed lengths that fill several batches.
func mixed() []text.Pair {
	r := rand.New(rand.NewPCG(1, 2))
	lengths := [][2]int{{63, 3}, {64, 2}, {3, 63}, {1, 64}, {130, 1}, {200, 190}, {1, 1}}
	for range 200 {
		lengths = append(lengths, [2]int{1 + r.IntN(9), 1 + r.IntN(9)})
	}
	return pairsOfLengths(lengths...)
}

// predicted returns the log-probabilities and attention weights of the target words as a Stepper
// predicts them one by one, with the log-softmax in float64.
func predicted(t *testing.T, m *model.Model, e text.Example) (logProbs []float64, weights [][]float32) {
	t.Helper()
	s, err := model.NewStepper(kernels.Best(), m, model.StepperCapacity{Sentences: 1, Hypotheses: 1, Words: len(e.Source), Joining: len(e.Source)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(e.Source); err != nil {
		t.Fatal(err)
	}
	before := int32(-1)
	for _, word := range e.Target {
		scores, err := s.Step([]int32{before})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, score := range scores.Row(0) {
			sum += math.Exp(float64(score))
		}
		logProbs = append(logProbs, float64(scores.Row(0)[word])-math.Log(sum))
		weights = append(weights, slices.Clone(s.Weights(0)))
		before = word
	}
	return logProbs, weights
}

// scored runs score and returns the columns of its output, and standard error.
func scored(t *testing.T, args ...string) (columns [][]string, stderr string) {
	t.Helper()
	stdout, stderr, code := execute("", append([]string{"score"}, args...)...)
	if code != 0 {
		t.Fatal(stderr)
	}
	for line := range strings.Lines(stdout) {
		columns = append(columns, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return columns, stderr
}

// TestScore compares the output of score with word-by-word predictions.
func TestScore(t *testing.T) {
	m := tinyModel(t)
	pairs := append(mixed(), text.Pair{Source: []string{"zebra", "the"}, Target: []string{"</s>", "zebra", "le"}})
	args := []string{"--model", saved(t, m),
		"--source", write(t, "source", lines(text.Sources(pairs))...), "--target", write(t, "target", lines(text.Targets(pairs))...)}
	columns, stderr := scored(t, append(args, "--words", "--threads", "2")...)
	if len(columns) != len(pairs) {
		t.Fatalf("%d lines, want %d", len(columns), len(pairs))
	}
	total, terms := 0.0, 0
	for i, e := range text.Examples(pairs, m.Source, m.Target) {
		logProbs, _ := predicted(t, m, e)
		words := strings.Fields(columns[i][2])
		sum := 0.0
		for j, want := range logProbs {
			sum += want
			if name := translation.WithEnd(pairs[i].Target)[j]; words[2*j] != name || !near(words[2*j+1], want) {
				t.Errorf("pair %d, word %d: %s, want %s %v", i, j, words[2*j:2*j+2], name, want)
			}
		}
		if !near(columns[i][0], sum) || columns[i][1] != strconv.Itoa(len(e.Target)) || len(words) != 2*len(e.Target) {
			t.Errorf("pair %d: %s %s and %d columns of words, want %v %d", i, columns[i][0], columns[i][1], len(words), sum, len(e.Target))
		}
		total, terms = total+sum, terms+len(e.Target)
	}
	summary := regexp.MustCompile(`^(\d+) pairs, (\d+) target words: log p (\S+), (\S+) per word, perplexity (\S+)\n$`).FindStringSubmatch(stderr)
	if summary == nil || summary[1] != fmt.Sprint(len(pairs)) || summary[2] != fmt.Sprint(terms) || !near(summary[3], total) ||
		!near(summary[4], total/float64(terms)) || !near(summary[5], math.Exp(-total/float64(terms))) {
		t.Errorf("standard error %q, want log p %v of %d words", stderr, total, terms)
	}
	short, _ := scored(t, args...)
	for i := range short {
		if !slices.Equal(short[i], columns[i][:2]) {
			t.Errorf("pair %d: %q without words, %q with them", i, short[i], columns[i])
		}
	}
}

// TestScoreBadPairs has pairs that cannot be scored between others, in several forms, and compares
// with the scores of the others alone.
func TestScoreBadPairs(t *testing.T) {
	m := tinyModel(t)
	source := []string{"the cat", "", "a dog", "\xff", "a", strings.Repeat("a", text.MaxLine+1), "a", "the dog sees ."}
	target := []string{"le chat", "un", " \t", "le", "un \xff", "un", strings.Repeat("un ", 10_001), "le chien voit ."}
	args := []string{"--model", saved(t, m), "--words"}
	good := [][]string{
		{"--source", write(t, "good.en", source[0], source[7])},
		{"--target", write(t, "good.fr", target[0], target[7])},
	}
	want, totals := scored(t, slices.Concat(args, good[0], good[1])...)
	for _, c := range compressions {
		a := write(t, "a", c.compress(t, strings.Join(source, "\n")))
		b := write(t, "b", c.compress(t, strings.Join(target, "\r\n")+"\r\n"))
		output := filepath.Join(t.TempDir(), "scores")
		stdout, stderr, code := execute("", append([]string{"score", "--source", a, "--target", b, "--output", output}, args...)...)
		bad := "-inf\t1\t</s> -inf\n"
		wantFile := strings.Join(want[0], "\t") + "\n" + strings.Repeat(bad, 6) + strings.Join(want[1], "\t") + "\n"
		if got := content(t, output); got != wantFile || stdout != "" || code != 1 {
			t.Errorf("%s: got %q, want %q, exit code %d", c.name, got, wantFile, code)
		}
		wantErr := "rnnsearch: warning: " + a + ":2: empty line, expected a sentence, scored as -inf\n" +
			"rnnsearch: warning: " + b + ":3: empty line, expected a sentence, scored as -inf\n" +
			"rnnsearch: warning: " + a + ":4: invalid UTF-8, scored as -inf\n" + totals +
			"rnnsearch: " + a + ", " + b + ": 6 of 8 lines cannot be used: scored as -inf\n"
		if stderr != wantErr {
			t.Errorf("%s: standard error %s\nwant %s", c.name, stderr, wantErr)
		}
	}
}

// near compares digits with a value.
func near(digits string, want float64) bool {
	got, err := strconv.ParseFloat(digits, 64)
	return err == nil && math.Abs(got-want) <= 2e-5*max(1, math.Abs(want))
}

// withoutAttention returns a small RNNencdec before training.
func withoutAttention(t *testing.T) *model.Model {
	t.Helper()
	words := tinyModel(t)
	c := corpus.Corpus{Source: words.Source, Target: words.Target}
	m, err := c.NewModel(model.Config{Kind: model.RNNencdec, Order: model.UpdateFirst, Embedding: 8, Hidden: 16, Alignment: 8, Maxout: 8}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
