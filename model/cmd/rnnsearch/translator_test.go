package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
)

// translations returns the translations of sentences, without their alignments.
func translations(t *testing.T, tr *translator, sentences ...[]string) []model.Translation {
	t.Helper()
	var results []model.Translation
	err := tr.translate(sentences, func(r model.Translation) error {
		results = append(results, model.Translation{Words: slices.Clone(r.Words), LogProb: r.LogProb})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(sentences) {
		t.Fatalf("%d translations of %d sentences", len(results), len(sentences))
	}
	return results
}

// TestBatches holds which sentences, given by their numbers of words, are translated
// together.
func TestBatches(t *testing.T) {
	m := tinyModel(t)
	const long = sourceStep // with EOS a word more than a batch has room for
	for _, test := range []struct {
		beam, limit int
		words, want []int // want has the sentences that each batch covers
	}{
		{batchRows / 3, 0, []int{1, 2, 3, 4, 5, 6, 7}, []int{3, 3, 1}},
		{batchRows / 3, 0, []int{1, 0, 2, 0, 0, 3, 0, 4}, []int{6, 2}},
		{batchRows / 3, 0, []int{0, 0}, []int{2}},
		{batchRows / 3, 0, []int{1, long - 1, long, 1, long, long}, []int{2, 1, 1, 1, 1}},
		{batchRows / 3, 0, []int{0, long, 0, long}, []int{1, 1, 1, 1}},
		{batchRows, 0, []int{1, 2, 0, 3}, []int{1, 1, 1, 1}},
		{mostHypotheses, 0, []int{1, 2}, []int{1, 1}},
		{1, mostWeights / sourceStep / 2, []int{1, 2, 3}, []int{2, 1}},
		{1, mostWeights, []int{0, 0, 1, 2}, []int{2, 1, 1}},
	} {
		tr := newTranslator(m, test.beam, test.limit)
		var sentences [][]string
		for _, n := range test.words {
			sentences = append(sentences, strings.Fields(strings.Repeat("a ", n)))
		}
		var got []int
		for rest := sentences; len(rest) > 0; {
			n := tr.take(rest)
			got, rest = append(got, n), rest[n:]
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("beam %d, limit %d, sentences of %v words: got batches of %v, want %v", test.beam, test.limit, test.words, got, test.want)
		}
	}
}
