package main

import (
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// kindArgs returns a command of trainArgs that trains a model of that kind, without a number of
// units of the alignment model.
func kindArgs(t *testing.T, dir, kind string, more ...string) []string {
	t.Helper()
	return without(trainArgs(t, dir, append(more, "--kind", kind)...), "--alignment")
}

// TestTrainEncDec trains an RNNencdec, with every part of the recipe that has a place in it, twice,
// and uses it.
func TestTrainEncDec(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	more := strings.Fields("--order predict-first --dropout-embedding 0.1 --dropout-context 0.2 --dropout-readout 0.3 --label-smoothing 0.1 --epochs 4")
	out := mustTrain(t, kindArgs(t, whole, "encdec", more...))
	if want := "\nmodel: RNNencdec without attention, predict-first, "; !strings.Contains(out, want) {
		t.Errorf("got\n%swant %q in it", out, want)
	}
	for _, epochs := range []string{"1", "4"} {
		mustTrain(t, kindArgs(t, parts, "encdec", append(more, "--epochs", epochs)...))
	}
	sameResult(t, parts, whole)
	path := whole + "/m"
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if m.Config.Kind != model.RNNencdec || m.Config.Order != model.PredictFirst {
		t.Errorf("model file has %+v", m.Config)
	}
	if got, _ := fields(t, "--model", path); got["kind"] != "encdec (RNNencdec, without attention)" {
		t.Errorf("info has %q", got)
	}
	const line = "the cat sees the dog ."
	want, err := testTranslator(t, m, decode.Options{}).Line(t.Context(), line)
	if err != nil {
		t.Fatal(err)
	}
	got, stderr, code := execute(line+"\n", "translate", "--model", path)
	if code != 0 || got != want+"\n" {
		t.Errorf("translate: got %q, want %q, exit code %d %s", got, want, code, stderr)
	}
	if _, stderr, code := execute(line+"\n", "align", "--model", path); code != 1 || !strings.HasSuffix(stderr, "model of kind encdec has no alignments, expected search\n") {
		t.Errorf("align: exit code %d, %s", code, stderr)
	}
}

// TestReplaceUNKMixed has an ensemble of which one model has alignments: they are those of the
// ensemble.
func TestReplaceUNKMixed(t *testing.T) {
	search, encdec := tinyModel(t), withoutAttention(t)
	encdec.Parameters.B[text.UNK] = 100
	got, stderr, code := execute("zebra\n", "translate", "--model", saved(t, encdec), "--model", saved(t, search), "--replace-unk", "--max-length", "2")
	if want := "zebra zebra\n"; code != 0 || got != want {
		t.Errorf("got %q, want %q, exit code %d %s", got, want, code, stderr)
	}
}
