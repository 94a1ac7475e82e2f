package main

import (
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// lines returns a line for each sentence.
func lines(sentences iter.Seq[[]string]) []string {
	var l []string
	for words := range sentences {
		l = append(l, strings.Join(words, " "))
	}
	return l
}

// trainArgs returns a command that trains a small model in a folder, on generated text that it
// writes there. The model file is dir/m.
func trainArgs(t *testing.T, dir string, more ...string) []string {
	t.Helper()
	pairs, heldOut := grammar.Pairs(1, 60, 10)
	args := strings.Fields("train --embedding 8 --hidden 16 --alignment 8 --maxout 8 --vocab 50 --max-length 20 --batch 8 --epochs 2 --threads 2 --model " + dir + "/m")
	for _, file := range []struct {
		flag      string
		sentences iter.Seq[[]string]
	}{
		{"source", text.Sources(pairs)}, {"target", text.Targets(pairs)},
		{"valid-source", text.Sources(heldOut)}, {"valid-target", text.Targets(heldOut)},
	} {
		path := filepath.Join(dir, file.flag)
		if err := os.WriteFile(path, []byte(strings.Join(lines(file.sentences), "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--"+file.flag, path)
	}
	return append(args, more...)
}

// without returns a command without a flag and its value.
func without(args []string, flag string) []string {
	i := slices.Index(args, flag)
	return slices.Delete(args, i, i+2)
}

// trained runs a command that must succeed and returns its standard output.
func trained(t *testing.T, args []string) string {
	t.Helper()
	stdout, stderr, code := execute("", args...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return stdout
}

func TestTrain(t *testing.T) {
	for _, order := range []string{"update-first", "predict-first"} {
		dir := t.TempDir()
		out := trained(t, trainArgs(t, dir, "--order", order))
		want := regexp.MustCompile(`^training text: 40 pairs, 20 dropped with more than 20 words on a side
validation text: 10 pairs
vocabularies: 50 source words, 50 target words
model: ` + order + `, 0\.01 million weights, on \w+ kernels
epoch 1: 5 updates, training loss \d\.\d{4} and validation loss \d\.\d{4} per word, BLEU \d+\.\d\d, \d+\.\d sentences/s, \d+s
best so far, saved to .*/m
epoch 2: 10 updates, .*
(best so far, saved to .*
)?complete after 2 epochs; a higher --epochs continues
$`)
		if !want.MatchString(out) {
			t.Errorf("got\n%swant\n%s", out, want)
		}
		m, err := model.Open(filepath.Join(dir, "m"))
		if err != nil {
			t.Fatal(err)
		}
		if m.Config.Order != model.Order(order) || m.Source.Size() != 50 || m.Target.Size() != 50 {
			t.Errorf("model file has %+v", m.Config)
		}
	}
}

// TestTrainAlignmentModel trains with each alignment model, without a number of its units and, as far
// as there is a choice, with one.
func TestTrainAlignmentModel(t *testing.T) {
	for _, test := range []struct {
		flags []string
		score model.AlignmentModel
		units int
	}{
		{nil, model.Additive, 1000},
		{[]string{"--alignment-model", "additive", "--alignment", "5"}, model.Additive, 5},
		{[]string{"--alignment-model", "dot"}, model.Dot, 16},
		{[]string{"--alignment-model", "general", "--alignment", "16"}, model.General, 16},
	} {
		dir := t.TempDir()
		out := trained(t, append(without(trainArgs(t, dir), "--alignment"), test.flags...))
		if named := strings.Contains(out, ", "+string(test.score)+" alignment model, "); named != (test.score != model.Additive) {
			t.Errorf("%v: got\n%s", test.flags, out)
		}
		m, err := model.Open(dir + "/m")
		if err != nil {
			t.Fatal(err)
		}
		if m.Config.AlignmentModel != test.score || m.Config.Alignment != test.units {
			t.Errorf("%v: model file has %+v", test.flags, m.Config)
		}
	}
}

func TestTrainTwice(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	trained(t, trainArgs(t, one))
	trained(t, trainArgs(t, two, "--threads", "3", "--log", "json"))
	sameResult(t, two, one)
}

func TestLearnNotFinite(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[2] = float32(math.NaN())
	pairs, _ := grammar.Pairs(1, 10, 0)
	l, err := newTrainer(m, pairs, model.Recipe{}, 2, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	_, err = l.updates(t.Context(), 3, quiet("", 0))
	if !errors.Is(err, model.ErrNotFinite) || !strings.HasPrefix(err.Error(), "update 1: ") {
		t.Errorf("got %v, want update 1: %v", err, model.ErrNotFinite)
	}
}

func TestLearn(t *testing.T) {
	m := tinyModel(t)
	pairs, _ := grammar.Pairs(1, 10, 0)
	l, err := newTrainer(m, pairs, model.Recipe{}, 4, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for epoch := 1; epoch <= 2; epoch++ {
		got, err := l.updates(t.Context(), l.batcher.BatchesPerEpoch(), silent{})
		if err != nil {
			t.Fatal(err)
		}
		if got.sentences != len(pairs) || l.Updates() != 3*epoch || got.loss <= 0 || got.time <= 0 {
			t.Errorf("epoch %d: %+v after %d updates", epoch, got, l.Updates())
		}
	}
}

// TestValidateBLEU compares with sentences that are translated one at a time.
func TestValidateBLEU(t *testing.T) {
	m := tinyModel(t)
	_, pairs := grammar.Pairs(1, 0, 40)
	v, err := newValidator(kernels.Best(), m, pairs, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.bleu(t.Context(), silent{})
	if err != nil {
		t.Fatal(err)
	}
	var want bleu.Statistics
	for _, p := range pairs {
		want.Add(m.Target.Decode(translations(t, v.translator, p.Source)[0].IDs), p.Target)
	}
	if got.String() != want.String() {
		t.Errorf("got %s, want %s", got, &want)
	}
}

// TestValidate compares with a loss that is computed a sentence at a time.
func TestValidate(t *testing.T) {
	m := tinyModel(t)
	_, pairs := grammar.Pairs(1, 0, 40)
	team := kernels.NewTeam(2)
	defer team.Close()
	v, err := newValidator(kernels.Best().With(team), m, pairs, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.validate(t.Context(), quiet, "")
	if err != nil {
		t.Fatal(err)
	}
	var want mean
	for _, e := range v.examples {
		loss, err := v.scorer.Loss([]text.Example{e})
		if err != nil {
			t.Fatal(err)
		}
		want.add(loss, len(e.Target))
	}
	if math.Abs(got.Loss-want.value()) > 1e-6*got.Loss || got.BLEU < 0 || got.BLEU > 100 {
		t.Errorf("got %+v, want a loss of %v", got, want.value())
	}
}
