package main

import (
	"slices"
	"strings"
	"testing"
)

// trainedLog is the log of a training.
const trainedLog = `{"event":"validation","update":200,"loss":4.2,"validation_loss":3.9,"bleu":12.3,"best":true}` + "\n"

// TestPlot draws the log of a training, and scores by length.
func TestPlot(t *testing.T) {
	references := write(t, "references", "a b c d e", strings.Repeat("a b c ", 9))
	scores, _, _ := execute("a b c d e\n"+strings.Repeat("a b c ", 9)+"\n", "bleu", "--reference", references, "--json", "--by-length", references)
	for stdin, want := range map[string]string{trainedLog: "best model, 12.3 BLEU", scores: "sentence length (words)"} {
		stdout, stderr, code := execute(stdin, "plot")
		if texts, _ := drawn(t, stdout); code != 0 || stderr != "" || !slices.Contains(texts, want) {
			t.Errorf("exit code %d, standard error %s, no %q in %q", code, stderr, want, texts)
		}
	}
}
