package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// numbered returns n pairs of one word each: "0" and "-0", "1" and "-1" and so on.
func numbered(n int) []text.Pair {
	var list []text.Pair
	for i := range n {
		list = append(list, text.Pair{Source: []string{fmt.Sprint(i)}, Target: []string{fmt.Sprint("-", i)}})
	}
	return list
}

// sources returns the sources of pairs, separated by |. It fails if a target is not the translation of
// its source.
func sources(t *testing.T, pairs []text.Pair) string {
	t.Helper()
	var list []string
	for _, p := range pairs {
		source, target := strings.Join(p.Source, " "), strings.Join(p.Target, " ")
		if "-"+strings.ReplaceAll(source, " ", " -") != target {
			t.Errorf("%q has the translation %q", source, target)
		}
		list = append(list, source)
	}
	return strings.Join(list, "|")
}

func TestJoin(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{sources(t, joinInTurn(numbered(6), 3)), "0|1 2|2 3 4|3|4 5"},
		{sources(t, joinInTurn(numbered(3), 1)), "0|1|2"},
		{sources(t, joinEqually(numbered(8), 2)), "0|1|0 1|2 3|0 1 2|3 4 5|0 1 2 3|4 5 6 7"},
		{sources(t, joinEqually(numbered(3), 1)), "0|1|2"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

// TestBuiltIn checks that the test has equally many sentences of each range of lengths and shares none
// with the training and validation text.
func TestBuiltIn(t *testing.T) {
	c := builtIn()
	seen := map[string]bool{}
	for _, p := range slices.Concat(c.train, c.valid) {
		seen[strings.Join(p.Source, " ")] = true
	}
	for _, p := range c.test {
		if source := strings.Join(p.Source, " "); seen[source] {
			t.Errorf("also in training or validation: %s", source)
		}
	}
	buckets := bucketsOf(c.test)
	if len(buckets) != bucketLimit/bucketWidth+1 {
		t.Errorf("%d ranges of lengths: %v", len(buckets), buckets)
	}
	for _, b := range buckets {
		if len(b.Sentences) != testsPerBucket {
			t.Errorf("%d sentences of %s words, want %d", len(b.Sentences), b, testsPerBucket)
		}
	}
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	c := corpus{train: joinInTurn(numbered(3), 2), valid: numbered(1)}
	if err := c.write(folder, []system{{model.RNNencdec, 1}, {model.RNNsearch, 2}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"train-1.source": "0\n2\n", "train-1.target": "-0\n-2\n", "train-2.source": "0\n1 2\n2\n", "train-2.target": "-0\n-1 -2\n-2\n",
		"valid.source": "0\n", "valid.target": "-0\n",
	} {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}
