package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

func TestDemo(t *testing.T) {
	d := demo
	d.sentences, d.heldOut, d.shown = 200, 20, 2
	d.threads = 2
	d.stages = []stage{{words: 12, updates: 3}, {words: 81, updates: 2}}
	d.embedding, d.hidden, d.alignment, d.maxout = 8, 16, 8, 8
	var out bytes.Buffer
	if err := d.run(t.Context(), &out, quiet); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^200 pairs of generated sentences of 3 to 80 words, \d+ different English and \d+ French ones
model: update-first, .*
up to 11 words: 3 updates of 8 sentences in .*s, .* sentences/s, loss .* per word
up to 80 words: 2 updates of 8 sentences in .*s, .* sentences/s, loss .* per word

(source       .* \.
translation  .*
reference    .* \.

){2}BLEU = .*, ref_len=\d+\)
\d+ of 20 held-out sentences translated exactly as the reference

where in the source .*:

(?s:.+) (██|▓▓|▒▒|░░|·)
$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// made returns a result with an alignment that takes the source in that order.
func made(source, target, translation string, order ...int) result {
	r := result{Pair: text.Pair{Source: strings.Fields(source), Target: strings.Fields(target)}, translation: strings.Fields(translation)}
	r.alignment.source, r.alignment.target = r.Source, r.translation
	r.alignment.weights = kernels.NewMatrix(len(r.translation), len(r.Source))
	for i, j := range order {
		r.alignment.weights.Row(i)[j] = 1
	}
	return r
}

func TestLeastMonotone(t *testing.T) {
	monotone := made("a b c", "A B C", "A B C", 0, 1, 2)
	wrong := made("a b c", "A B C", "C B A", 2, 1, 0)
	reordered := made("a b c", "A C B", "A C B", 0, 2, 1)
	long := made("a b c d e", "E D C B A", "E D C B A", 4, 3, 2, 1, 0)
	d := demoSettings{mapWords: 4}
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
