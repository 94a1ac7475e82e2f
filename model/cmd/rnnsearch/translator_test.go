package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/decode"
)

// wordsOf returns a sentence of n words.
func wordsOf(n int) []string { return strings.Fields(strings.Repeat("the cat sees a dog . ", n))[:n] }

// translations returns the translations of sentences, without their alignments.
func translations(t *testing.T, tr *translator, sentences ...[]string) []decode.Translation {
	t.Helper()
	results, calls := make([]decode.Translation, len(sentences)), 0
	n, err := tr.translate(t.Context(), sentences, func(i int, best []decode.Translation) {
		results[i] = decode.Translation{IDs: slices.Clone(best[0].IDs), LogProb: best[0].LogProb}
		calls++
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != len(sentences) || calls != n {
		t.Fatalf("%d translations of %d sentences, %d counted", calls, len(sentences), n)
	}
	return results
}

// TestTranslatorSameBits compares sentences of all lengths in lists of different sizes, on
// different numbers of threads, with each sentence alone.
func TestTranslatorSameBits(t *testing.T) {
	m := tinyModel(t)
	for _, beam := range []int{1, 12} {
		var list [][]string
		for i, n := range []int{5, 0, 64, 1, 70, 63, 130, 2, 0, 3, 65, 9, 0} {
			list = append(list, wordsOf(n + i)[i:])
		}
		want, alone := make([]decode.Translation, len(list)), newTranslator(decode.Options{Beam: beam}, 30, 1, m)
		for i := range list {
			want[i] = translations(t, alone, list[i])[0]
		}
		for _, threads := range []int{1, 2, 3, 8} {
			tr := newTranslator(decode.Options{Beam: beam}, 30, threads, m)
			for _, n := range []int{len(list), 0, 1, 4, len(list)} {
				for i, r := range translations(t, tr, list[:n]...) {
					if !slices.Equal(r.IDs, want[i].IDs) || r.LogProb != want[i].LogProb {
						t.Errorf("beam %d, %d threads, sentence %d of %d: got %v, want %v", beam, threads, i, n, r, want[i])
					}
				}
			}
		}
	}
}

// TestTranslatorTooLong has a sentence that ends the list.
func TestTranslatorTooLong(t *testing.T) {
	tr := newTranslator(decode.Options{Beam: mostHypotheses}, 0, 2, tinyModel(t))
	list := [][]string{wordsOf(1), nil, wordsOf(2), wordsOf(7 * sourceStep), wordsOf(1)}
	var seen []int
	n, err := tr.translate(t.Context(), list, func(i int, _ []decode.Translation) { seen = append(seen, i) })
	slices.Sort(seen)
	if n != 3 || !errors.Is(err, errTooLong) || !slices.Equal(seen, []int{0, 1, 2}) {
		t.Errorf("translations of sentences %v, %d counted and error %v, want 0 to 2 and %v", seen, n, err, errTooLong)
	}
}

// TestShare holds the sizes of pools. A sentence that check lets pass has room in one.
func TestShare(t *testing.T) {
	for _, test := range []struct{ beam, limit, threads, source, wantThreads, wantSentences int }{
		{1, 0, 2, sourceStep, 2, batchRows},
		{12, 0, 3, sourceStep, 3, batchRows / 12},
		{batchRows + 1, 0, 2, sourceStep, 2, 1},
		{1, 0, 2, 2 * sourceStep, 2, batchRows / 2},
		{5, 0, 8, 50 * sourceStep, 3, 1},
		{1, mostWeights / sourceStep / 5, 2, sourceStep, 2, 2},
		{1, mostWeights / sourceStep / 5, 8, sourceStep, 5, 1},
		{1, mostWeights / sourceStep, 8, sourceStep, 1, 1},
	} {
		tr := newTranslator(decode.Options{Beam: test.beam}, test.limit, test.threads)
		what := fmt.Sprintf("beam %d, limit %d, %d threads, sources of %d words", test.beam, test.limit, test.threads, test.source)
		if err := tr.check(test.source); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		threads, sentences := tr.share(test.source)
		if threads != test.wantThreads || sentences != test.wantSentences {
			t.Errorf("%s: got %d threads and %d sentences, want %d and %d", what, threads, sentences, test.wantThreads, test.wantSentences)
		}
		if weights := threads * sentences * test.beam * test.source * tr.length(test.source); weights > mostWeights {
			t.Errorf("%s: %d weights, want at most %d", what, weights, mostWeights)
		}
	}
}
