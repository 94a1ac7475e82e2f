package main

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/text"
)

// lines returns a line for each sentence.
func lines(sentences iter.Seq[[]string]) []string {
	var l []string
	for words := range sentences {
		l = append(l, strings.Join(words, " "))
	}
	return l
}

// options returns the settings of a small training on generated text.
func options(t *testing.T) trainOptions {
	pairs, heldOut := text.BuiltIn(1, 60, 10)
	return trainOptions{
		source: write(t, "train.en", lines(text.Sources(pairs))...), target: write(t, "train.fr", lines(text.Targets(pairs))...),
		validSource: write(t, "valid.en", lines(text.Sources(heldOut))...), validTarget: write(t, "valid.fr", lines(text.Targets(heldOut))...),
		model:     filepath.Join(t.TempDir(), "m.safetensors"),
		embedding: 8, hidden: 16, alignment: 8, maxout: 8,
		vocab: 50, maxLength: 20, batch: 8, epochs: 2, order: "update-first", score: "additive", seed: 1, threads: 2,
	}
}

func TestTrain(t *testing.T) {
	for _, order := range []string{"update-first", "predict-first"} {
		o := options(t)
		o.order = order
		var out bytes.Buffer
		if err := train(t.Context(), &out, quiet, o); err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile(`^training text: 40 pairs, 20 dropped with more than 20 words on a side
validation text: 10 pairs
vocabularies: 50 source words, 50 target words
model: ` + order + `, 0\.01 million weights, on \w+ kernels
epoch 1: 5 updates, training loss \d\.\d{4} and validation loss \d\.\d{4} per word, BLEU \d+\.\d\d, \d+\.\d sentences/s, \d+s
best so far, saved to .*m\.safetensors
epoch 2: 10 updates, .*
(best so far, saved to .*
)?$`)
		if !want.MatchString(out.String()) {
			t.Errorf("got\n%swant\n%s", &out, want)
		}
		m, err := model.Open(o.model)
		if err != nil {
			t.Fatal(err)
		}
		if m.Config.Order != model.Order(order) || m.Source.Size() != 50 || m.Target.Size() != 50 {
			t.Errorf("model file has %+v", m.Config)
		}
	}
}

// TestTrainScore trains with each alignment model, without a number of its units and, as far
// as there is a choice, with one.
func TestTrainScore(t *testing.T) {
	o := options(t)
	files := []string{
		"train", "--source", o.source, "--target", o.target, "--valid-source", o.validSource, "--valid-target", o.validTarget,
		"--model", o.model, "--embedding", "8", "--hidden", "16", "--maxout", "8", "--batch", "8", "--epochs", "1", "--threads", "1",
	}
	for _, test := range []struct {
		flags []string
		score model.Score
		units int
	}{
		{nil, model.Additive, 1000},
		{[]string{"--score", "additive", "--alignment", "5"}, model.Additive, 5},
		{[]string{"--score", "dot"}, model.Dot, 16},
		{[]string{"--score", "general", "--alignment", "16"}, model.General, 16},
	} {
		if _, stderr, code := execute("", append(files, test.flags...)...); code != 0 {
			t.Fatalf("%v: exit code %d, %s", test.flags, code, stderr)
		}
		m, err := model.Open(o.model)
		if err != nil {
			t.Fatal(err)
		}
		if m.Config.Score != test.score || m.Config.Alignment != test.units {
			t.Errorf("%v: model file has %+v", test.flags, m.Config)
		}
	}
}

func TestTrainTwice(t *testing.T) {
	o := options(t)
	var files [2][]byte
	for i := range files {
		if err := train(t.Context(), new(bytes.Buffer), quiet, o); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = os.ReadFile(o.model); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the same training gave two models")
	}
}

func TestLearnNotFinite(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[2] = float32(math.NaN())
	pairs, _ := text.BuiltIn(1, 10, 0)
	l, err := newLearner(m, pairs, 2, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	_, err = l.learn(t.Context(), 3, quiet("", 0))
	if !errors.Is(err, model.ErrNotFinite) || !strings.HasPrefix(err.Error(), "update 1: ") {
		t.Errorf("got %v, want update 1: %v", err, model.ErrNotFinite)
	}
}

func TestLearn(t *testing.T) {
	m := tinyModel(t)
	pairs, _ := text.BuiltIn(1, 10, 0)
	l, err := newLearner(m, pairs, 4, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for epoch := 1; epoch <= 2; epoch++ {
		got, err := l.epoch(t.Context(), quiet, "")
		if err != nil {
			t.Fatal(err)
		}
		if got.sentences != len(pairs) || l.updates != 3*epoch || got.loss <= 0 || got.time <= 0 {
			t.Errorf("epoch %d: %+v after %d updates", epoch, got, l.updates)
		}
	}
}

// TestValidateBLEU compares with sentences that are translated one at a time.
func TestValidateBLEU(t *testing.T) {
	m := tinyModel(t)
	_, pairs := text.BuiltIn(1, 0, 40)
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
		want.Add(m.Target.Decode(translations(t, v.translator, p.Source)[0].Words), p.Target)
	}
	if got.String() != want.String() {
		t.Errorf("got %s, want %s", got, &want)
	}
}

// TestValidate compares with a loss that is computed a sentence at a time.
func TestValidate(t *testing.T) {
	m := tinyModel(t)
	_, pairs := text.BuiltIn(1, 0, 40)
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
		loss, err := v.workspace.Loss([]text.Example{e})
		if err != nil {
			t.Fatal(err)
		}
		want.add(loss, len(e.Target))
	}
	if math.Abs(got.loss-want.value()) > 1e-6*got.loss || got.bleu < 0 || got.bleu > 100 {
		t.Errorf("got %+v, want a loss of %v", got, want.value())
	}
}

func TestKeep(t *testing.T) {
	var out bytes.Buffer
	tr := training{stdout: &out, model: tinyModel(t), path: filepath.Join(t.TempDir(), "m")}
	for i, test := range []struct {
		result validation
		kept   bool
	}{
		{validation{loss: 5, bleu: 0}, true},
		{validation{loss: 6, bleu: 0}, false},
		{validation{loss: 4, bleu: 0}, true},
		{validation{loss: 9, bleu: 3}, true},
		{validation{loss: 1, bleu: 2}, false},
		{validation{loss: 9, bleu: 3}, false},
	} {
		out.Reset()
		if err := tr.keep(test.result); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(tr.path)
		if kept := err == nil; kept != test.kept || (out.Len() > 0) != test.kept {
			t.Errorf("result %d: file there %v, output %q, want %v", i, kept, &out, test.kept)
		}
		os.Remove(tr.path)
	}
}
