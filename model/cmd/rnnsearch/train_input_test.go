package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// replace writes the result of f in place of the content of a file.
func replace(t *testing.T, path string, f func([]byte) []byte) {
	t.Helper()
	if err := os.WriteFile(path, f(read(t, path)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// addBadLines puts bad lines between those of the source and the target for training and validation,
// and returns the messages for those of the training text.
func addBadLines(t *testing.T, dir string) []string {
	t.Helper()
	insert := func(name string, line int, bad string) {
		replace(t, filepath.Join(dir, name), func(b []byte) []byte {
			return []byte(strings.Join(slices.Insert(strings.Split(string(b), "\n"), line-1, bad), "\n"))
		})
	}
	for _, prefix := range []string{"", "valid-"} {
		for _, bad := range []struct {
			line           int
			source, target string
		}{
			{2, "", "le chat"}, {5, "l' \xe9t\xe9", "a"}, {6, "a", " \t"}, {9, "", ""}, {10, strings.Repeat("a", text.MaxLine+1), "b"},
		} {
			insert(prefix+"source", bad.line, bad.source)
			insert(prefix+"target", bad.line, bad.target)
		}
	}
	return []string{
		dir + "/source:2: empty line, expected a sentence, dropped",
		dir + "/source:5: invalid UTF-8, dropped",
		dir + "/target:6: empty line, expected a sentence, dropped",
		"training text: 5 lines like these in all, dropped",
	}
}

// TestBadLines drops pairs with a bad line, to the result of the text without them. With --strict,
// the first of them is an error.
func TestBadLines(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	clean := mustTrain(t, trainArgs(t, whole))
	args := trainArgs(t, dir)
	messages := addBadLines(t, dir)
	stdout, stderr, code := execute("", args...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if !bytes.Equal(read(t, dir+"/m"), read(t, whole+"/m")) {
		t.Error("another model than of the text without the bad lines")
	}
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	if len(lines) != 2*len(messages) {
		t.Fatalf("standard error:\n%s", stderr)
	}
	for i, want := range messages {
		if got := lines[i]; got != "rnnsearch: warning: "+want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, want := range []string{"\ntraining text: 5 pairs dropped with a bad line\n", "\nvalidation text: 5 pairs dropped with a bad line\n"} {
		if !strings.Contains(stdout, want) || strings.Contains(clean, want) {
			t.Errorf("got\n%swant %q in it", stdout, want)
		}
	}
	_, stderr, code = execute("", append(args, "--strict")...)
	if want := dir + "/source:2: empty line, expected a sentence\n"; code != 1 || !strings.HasSuffix(stderr, want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("--strict: exit code %d, %s", code, stderr)
	}
	mustTrain(t, append(trainArgs(t, whole), "--strict"))
}

// TestGiven trains with the codes and the vocabularies of another training, to the same model.
func TestGiven(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	const threshold = "2"
	mustTrain(t, trainArgs(t, whole, "--bpe", "40", "--bpe-threshold", threshold, "--vocab", "60"))
	m, err := model.Open(whole + "/m")
	if err != nil {
		t.Fatal(err)
	}
	var pipeline struct{ Codes string }
	encoded, err := json.Marshal(m.SourceText)
	if err == nil {
		err = json.Unmarshal(encoded, &pipeline)
	}
	if err != nil {
		t.Fatal(err)
	}
	if codes, err := bpe.ReadCodes(strings.NewReader(pipeline.Codes)); err != nil || len(codes) == 0 {
		t.Fatalf("%d codes, %v", len(codes), err)
	}
	given := map[string]string{"codes": pipeline.Codes}
	for name, v := range map[string]*text.Vocabulary{"source-vocabulary": m.Source, "target-vocabulary": m.Target} {
		var file strings.Builder
		if _, err := v.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		given[name] = file.String()
	}
	args := without(trainArgs(t, dir, "--bpe-threshold", threshold), "--vocab")
	other := t.TempDir()
	for name, content := range given {
		if err := os.WriteFile(filepath.Join(other, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--"+name, filepath.Join(other, name))
	}
	mustTrain(t, args)
	if !bytes.Equal(read(t, dir+"/m"), read(t, whole+"/m")) {
		t.Error("another model")
	}
	mustTrain(t, append(args, "--epochs", "3"))
	for name, content := range given {
		path := filepath.Join(other, name)
		if err := os.WriteFile(path, []byte(content+map[bool]string{true: "x y\n", false: "x\n"}[name == "codes"]), 0o666); err != nil {
			t.Fatal(err)
		}
		_, stderr, code := execute("", args...)
		if want := "rnnsearch: --" + name + " " + path + ": other text than in the checkpoint; "; code != 1 || !strings.HasPrefix(stderr, want) {
			t.Errorf("exit code %d, got %swant %s", code, stderr, want)
		}
		_, stderr, code = execute("", slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--"+name || arg == path })...)
		if code != 1 || !strings.Contains(stderr, "other text than in the checkpoint") && !strings.Contains(stderr, "expected with --bpe or --codes") {
			t.Errorf("without --%s: exit code %d, %s", name, code, stderr)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGivenErrors refuses flags that do not go together and files that are none.
func TestGivenErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	const files = "train --source DIR/three --target DIR/trois --valid-source DIR/three --valid-target DIR/three --model DIR/m "
	checkRefusals(t, dir, []refusal{
		{"codes and bpe", files + "--codes DIR/three --bpe 9", "", `--codes DIR/three: expected without --bpe`},
		{"vocab and vocabularies", files + "--vocab 99 --source-vocabulary DIR/three --target-vocabulary DIR/three", "",
			`--vocab 99: expected without --source-vocabulary or --target-vocabulary`},
		{"text as codes", files + "--codes DIR/three", "", `--codes DIR/three: #line 1: "the cat", expected "#version: 0.2"`},
		{"tokenizer without a language", files + "--tokenizer moses", "", `--tokenizer moses: expected with --source-language or --target-language`},
		{"all lines bad", "train --source DIR/two --target DIR/blank --model DIR/m --strict=false", "", `#DIR/two, DIR/blank: no usable pair: DIR/blank:1: empty line, expected a sentence`},
	})
}

// TestTokenizer trains by both tokenizers. One of them does not resume the other's training.
func TestTokenizer(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, rawArgs(t, dir, 20, "--tokenizer", "moses"))
	_, stderr, code := execute("", rawArgs(t, dir, 20)...)
	if want := "rnnsearch: --tokenizer reversible, the checkpoint has moses; "; code != 1 || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit code %d, got %swant %s", code, stderr, want)
	}
	mustTrain(t, rawArgs(t, dir, 20, "--overwrite"))
	m, err := model.Open(dir + "/m")
	if err != nil {
		t.Fatal(err)
	}
	r := m.TargetText.Read(rawFrench[2], nil)
	if got, want := m.TargetText.Write(r.Words, r).Line, rawFrench[2]; got != want {
		t.Errorf("%q comes back as %q", want, got)
	}
}
