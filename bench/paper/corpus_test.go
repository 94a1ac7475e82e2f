package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// numbered returns pairs of one word each, "0" and "-0" to "n-1" and "-(n-1)".
func numbered(n int) []text.Pair {
	var list []text.Pair
	for i := range n {
		list = append(list, text.Pair{Source: []string{fmt.Sprint(i)}, Target: []string{fmt.Sprint("-", i)}})
	}
	return list
}

// sources returns the sentences of a list with a space between words and a stroke between
// sentences, and fails unless the targets are their translations.
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
		{sources(t, inTurn(numbered(6), 3)), "0|1 2|2 3 4|3|4 5"},
		{sources(t, inTurn(numbered(3), 1)), "0|1|2"},
		{sources(t, ofEach(numbered(8), 2)), "0|1|0 1|2 3|0 1 2|3 4 5|0 1 2 3|4 5 6 7"},
		{sources(t, ofEach(numbered(3), 1)), "0|1|2"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

// TestBuiltIn: the test has as many sentences of each range of lengths, and none that models learn
// from.
func TestBuiltIn(t *testing.T) {
	c := builtIn()
	count := map[int]int{}
	seen := map[string]bool{}
	for _, p := range slices.Concat(c.train, c.valid) {
		seen[strings.Join(p.Source, " ")] = true
	}
	for _, p := range c.test {
		count[rangeOf(len(p.Source))]++
		if source := strings.Join(p.Source, " "); seen[source] {
			t.Errorf("in training or validation, too: %s", source)
		}
	}
	for r := range lastRange + 1 {
		if count[r] != builtInBucket {
			t.Errorf("%d sentences of range %d, want %d", count[r], r, builtInBucket)
		}
	}
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	c := corpus{train: inTurn(numbered(3), 2), valid: numbered(1)}
	if err := c.write(folder); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"train.source": "0\n1 2\n2\n", "train.target": "-0\n-1 -2\n-2\n", "valid.source": "0\n", "valid.target": "-0\n",
	} {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}
