package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// resultOf returns a result whose target words are aligned to the source words in order.
func resultOf(source, target, translation string, order ...int) result {
	words := text.Pair{Source: strings.Fields(source), Target: strings.Fields(target)}
	r := result{sentence: sentence{source, target, words}, line: translation, translation: strings.Fields(translation)}
	r.alignment.Source, r.alignment.Target = words.Source, r.translation
	r.alignment.Weights = kernels.NewMatrix(len(r.translation), len(words.Source))
	for i, j := range order {
		r.alignment.Weights.Row(i)[j] = 1
	}
	return r
}

func TestLeastMonotone(t *testing.T) {
	monotone := resultOf("a b c", "A B C", "A B C", 0, 1, 2)
	wrong := resultOf("a b c", "A B C", "C B A", 2, 1, 0)
	reordered := resultOf("a b c", "A C B", "A C B", 0, 2, 1)
	long := resultOf("a b c d e", "E D C B A", "E D C B A", 4, 3, 2, 1, 0)
	d := demonstration{MaxMapWords: 4}
	for _, test := range []struct {
		results []result
		want    *result
	}{
		{nil, nil},
		{[]result{long}, nil},
		{[]result{monotone, wrong, long}, &monotone},
		{[]result{wrong, monotone, reordered, long}, &reordered},
		{[]result{wrong}, &wrong},
	} {
		got := d.leastMonotone(test.results)
		if (got == nil) != (test.want == nil) || got != nil && !slices.Equal(got.translation, test.want.translation) {
			t.Errorf("got %v, want %v", got, test.want)
		}
	}
}

func TestBackwardJumps(t *testing.T) {
	// The only backward jump is from "été" to "rouge".
	weights := kernels.View([]float32{
		1, 0, 0, 0,
		0.1, 0.25, 0.65, 0,
		0, 0.8, 0.2, 0,
		0, 0, 0.5, 0.5,
	}, 4, 4)
	if got, want := backwardJumps(weights), float32(0.65)*0.8; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
