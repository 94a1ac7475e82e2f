package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// otherCorpus returns flags for training text of another seed than that of trainArgs.
func otherCorpus(t *testing.T) []string {
	t.Helper()
	pairs, _ := grammar.Pairs(9, 60, 0)
	return []string{"--source", write(t, "other.en", lines(text.Sources(pairs))...), "--target", write(t, "other.fr", lines(text.Targets(pairs))...)}
}

// TestInit goes on from a model with other text. Flags that describe the model change nothing, and a
// resumed training ends with the same model.
func TestInit(t *testing.T) {
	first := t.TempDir()
	mustTrain(t, trainArgs(t, first, "--bpe", "30"))
	init, err := model.Open(first + "/m")
	if err != nil {
		t.Fatal(err)
	}
	other := otherCorpus(t)
	bare := func(dir string, more ...string) []string {
		args := trainArgs(t, dir, append(append([]string{"--init", first + "/m"}, other...), more...)...)
		for _, flag := range []string{"--embedding", "--hidden", "--alignment", "--maxout", "--vocab"} {
			args = without(args, flag)
		}
		return args
	}
	one := t.TempDir()
	mustTrain(t, bare(one))
	m, err := model.Open(one + "/m")
	if err != nil {
		t.Fatal(err)
	}
	if m.Config != init.Config || strings.Join(m.Source.Words(), " ") != strings.Join(init.Source.Words(), " ") || !m.TargetText.Equal(init.TargetText) {
		t.Errorf("configuration %+v, want that of the initial model %+v, its vocabularies and its merges", m.Config, init.Config)
	}
	if bytes.Equal(read(t, one+"/m"), read(t, first+"/m")) {
		t.Error("the initial model is unchanged")
	}
	fresh := t.TempDir()
	mustTrain(t, trainArgs(t, fresh, append(other, "--bpe", "30")...))
	if bytes.Equal(read(t, one+"/m"), read(t, fresh+"/m")) {
		t.Error("the model of a training from random weights")
	}
	two := t.TempDir()
	described := trainArgs(t, two, append([]string{"--init", first + "/m", "--bpe", "30"}, other...)...)
	mustTrain(t, append(described, "--epochs", "1"))
	mustTrain(t, described)
	if !bytes.Equal(read(t, two+"/m"), read(t, one+"/m")) {
		t.Error("another model after a resumption, or with flags that describe the initial model")
	}

	moved := t.TempDir() + "/n"
	if err := os.WriteFile(moved, read(t, first+"/m"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, append(bare(one, "--epochs", "3"), "--init", moved))
	if _, stderr, code := execute("", append(bare(one, "--epochs", "3"), "--init", fresh+"/m")...); code != 1 || !strings.Contains(stderr, "/m: another model than in the checkpoint; ") {
		t.Errorf("another initial model than in the checkpoint: exit code %d, %s", code, stderr)
	}
}

// TestInitInt8 goes on from weights of int8, of a file and built in.
func TestInitInt8(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, trainArgs(t, dir))
	if _, stderr, code := execute("", "quantize", "--model", dir+"/m", "--output", dir+"/int8"); code != 0 {
		t.Fatal(stderr)
	}
	second := trainArgs(t, t.TempDir(), append(otherCorpus(t), "--init", dir+"/int8")...)
	mustTrain(t, append(second, "--epochs", "1"))
	mustTrain(t, second)
	if !fixture.Full() { // an update of a large model
		return
	}
	english, french := write(t, "en", "Where is the station?"), write(t, "fr", "Où est la gare ?")
	path := t.TempDir() + "/m"
	mustTrain(t, []string{
		"train", "--init", "en-fr", "--source", english, "--target", french, "--valid-source", english, "--valid-target", french, "--updates", "1", "--model", path,
	})
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if m.Config.Weights != model.Float32 || m.SourceText.Language() != "en" {
		t.Errorf("a model of %q from %q, want one of float32 from English", m.Config.Weights, m.SourceText.Language())
	}
}

func TestInitErrors(t *testing.T) {
	first := t.TempDir()
	mustTrain(t, trainArgs(t, first, "--bpe", "30"))
	path := first + "/m"
	vocabulary := write(t, "vocabulary", "the", "king")
	small := saved(t, tinyModel(t))
	if _, stderr, code := execute("", "quantize", "--model", path, "--output", first+"/int8"); code != 0 {
		t.Fatal(stderr)
	}
	for _, test := range []struct{ flags, want string }{
		{"--hidden 17", "--hidden 17: the model of --init " + path + " has 16"},
		{"--order predict-first", "--order predict-first: the model of --init " + path + " has update-first"},
		{"--bpe 29", "--bpe 29: the model of --init " + path + " has 30 merges"},
		{"--bpe-threshold 2", "--bpe-threshold 2: the model of --init " + path + " has all segments"},
		{"--vocab 20", "--vocab 20: the model of --init " + path + " has 23 source words"},
		{"--source-language en", `--source-language en: the model of --init ` + path + ` has ""`},
		{"--source-vocabulary " + vocabulary, "--source-vocabulary " + vocabulary + ": not the vocabulary of --init " + path},
		{"--init " + vocabulary, "--init: "},
		{"--init " + small, "--vocab 50: the model of --init " + small + " has 80 source words"},
		{"--model " + path, "--model " + path + ": is an input, expected another file"},
	} {
		dir := t.TempDir()
		args := append(trainArgs(t, dir, "--init", path), strings.Fields(test.flags)...)
		_, stderr, code := execute("", args...)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, %swant %s", test.flags, code, stderr, test.want)
		}
		if _, err := os.Stat(dir + "/m"); err == nil {
			t.Errorf("%s: there is a model", test.flags)
		}
	}
}
