package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgreements trains a model that copies words, each of which needs itself alone, and links them. Sentences with
// more words than a batch take the same path.
func TestAgreements(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	tr := trainer{folder: t.TempDir(), stderr: os.Stderr}
	if err := tr.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(tr.folder, name) }
	var b strings.Builder
	for i := range 4000 {
		words := strings.Fields("a b c d e f g h")
		b.WriteString(words[i%8] + " " + words[i/8%8] + " " + words[i/64%8] + "\n")
	}
	long := strings.TrimSpace(strings.Repeat("a b c ", omissionBatch/2))
	for name, content := range map[string]string{"text": b.String(), "pairs.en": "a b c\nh d\n" + long + "\n", "pairs.fr": "a b c\nh d\n" + long + "\n", "gold": "\n\n\n"} {
		if err := os.WriteFile(path(name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := tr.command(t.Context(), "train", "--source", "text", "--target", "text", "--model", "copy", "--embedding", "16", "--hidden", "32", "--alignment", "16",
		"--maxout", "16", "--batch", "20", "--optimizer", "adam", "--learning-rate", "0.01", "--epochs", "2")
	if output, err := c.Output(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	models := [2][]string{{path("copy")}, {path("copy")}}
	for _, threads := range []int{1, 3} {
		pairs, err := readLinked([2]string{path("pairs.en"), path("pairs.fr")}, path("gold"))
		if err != nil {
			t.Fatal(err)
		}
		if err := agreements(t.Context(), models, pairs, threads); err != nil {
			t.Fatal(err)
		}
		for side := range directions {
			for i, want := range []string{"0-0 1-1 2-2", "0-0 1-1"} {
				if got := pairs[i].links(side).String(); got != want {
					t.Errorf("%d threads, %v, pair %d: got %q, want %q", threads, directions[side], i, got, want)
				}
			}
			if len(pairs[2].links(side).Sure) == 0 {
				t.Errorf("%d threads, %v: no links of the long pair", threads, directions[side])
			}
		}
	}
}
