package main

import (
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/text"
)

// lines returns the sentences as lines of text.
func lines(sentences iter.Seq[[]string]) []string {
	var l []string
	for words := range sentences {
		l = append(l, strings.Join(words, " "))
	}
	return l
}

// trainArgs returns a command that trains a small model, dir/m, on generated text, which trainArgs
// writes to dir.
func trainArgs(t *testing.T, dir string, more ...string) []string {
	t.Helper()
	pairs, heldOut := grammar.Pairs(1, 60, 10)
	args := strings.Fields("train --embedding 8 --hidden 16 --alignment 8 --maxout 8 --vocab 50 --max-length 20 --batch 8 --epochs 2 --threads 1 --model " + dir + "/m")
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
		if !slices.Contains(more, "--"+file.flag) { // --source and --target may be repeated
			args = append(args, "--"+file.flag, path)
		}
	}
	return append(args, more...)
}

// without returns a command without a flag and its value.
func without(args []string, flag string) []string {
	i := slices.Index(args, flag)
	return slices.Concat(args[:i], args[i+2:])
}

// mustTrain runs a command, which must succeed, and returns its standard output.
func mustTrain(t *testing.T, args []string) string {
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
		out := mustTrain(t, trainArgs(t, dir, "--order", order))
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

// TestTrainAlignmentModel trains with each alignment model, with and without --alignment.
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
		out := mustTrain(t, append(without(trainArgs(t, dir), "--alignment"), test.flags...))
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
	mustTrain(t, trainArgs(t, one))
	mustTrain(t, trainArgs(t, two, "--threads", "3", "--log", "json"))
	sameResult(t, two, one)
}
