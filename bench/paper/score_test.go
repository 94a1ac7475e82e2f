package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestCompare scores a correct, a wrong and a correct translation, together and by length.
func TestCompare(t *testing.T) {
	words := func(n int) []string { return strings.Fields(strings.Repeat("a b c d e ", n/5)) }
	pairs := []text.Pair{
		{Source: words(10), Target: words(5)}, {Source: words(15), Target: words(5)}, {Source: words(90), Target: words(5)},
	}
	s := compare(pairs, []translation{{words: words(5)}, {words: strings.Fields("v w x y z")}, {words: words(5)}})
	all := s.score()
	// Two thirds of the 15, 12, 9 and 6 n-grams match.
	if want := 100 * 2.0 / 3; all.Sentences != 3 || all.BLEU < want-1e-9 || all.BLEU > want+1e-9 || all.Low != 0 || all.High != 100 {
		t.Errorf("score %+v, want 3 sentences, %g, and all from 0 to 100", all, want)
	}
	byLength := s.byLength(pairs)
	want := []lengthScore{
		{1, 10, score{1, 100, 100, 100}}, {11, 15, score{1, 0, 0, 0}}, {71, 90, score{1, 100, 100, 100}},
	}
	if len(byLength) != len(want) {
		t.Fatalf("%d ranges, want %d", len(byLength), len(want))
	}
	for i := range want {
		if d := byLength[i].BLEU - want[i].BLEU; d > 1e-9 || d < -1e-9 || byLength[i].First != want[i].First || byLength[i].Words != want[i].Words {
			t.Errorf("%+v, want %+v", byLength[i], want[i])
		}
	}
}

// TestTranslateCanceled has one message for all sentences.
func TestTranslateCanceled(t *testing.T) {
	m, err := model.Open("../../model/decode/testdata/en-fr.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sources := slices.Repeat([][]string{{"a", "dog"}}, 100)
	if _, err := translate(ctx, m, slices.Values(sources), false); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}
