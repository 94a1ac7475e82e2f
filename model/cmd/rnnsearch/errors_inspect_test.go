package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// TestInspectErrors runs score, align, info and plot, and translate with --replace-unk, with
// arguments and files that they must refuse.
func TestInspectErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	putInspected(t, dir)
	const (
		score = "score --model DIR/model --source DIR/two --target DIR/two "
		align = "align --model DIR/model "
		pairs = align + "--source DIR/two --target DIR/two "
	)
	checkRefusals(t, dir, []refusal{
		{"no reference", "bleu --reference DIR/no", "", `open DIR/no: no such file or directory`},
		{"empty reference", "bleu --reference DIR/empty", "a\n", `DIR/empty: empty file, expected one sentence a line`},
		{"reference with an empty line", "bleu --reference DIR/gap", "a\n", `DIR/gap:2: empty line, expected a sentence`},
		{"fewer lines", "bleu --reference DIR/three", "a\n", `unequal numbers of lines: standard input has 1, DIR/three has 3, expected the same`},
		{"no translation", "bleu --reference DIR/two", "", `standard input: empty file, expected one sentence a line`},
		{"unequal lengths", "bleu --reference DIR/two --by-length DIR/three", "a\nb\n",
			`unequal numbers of lines: DIR/three has 3, DIR/two has 2, expected the same`},

		{"score with a wordless model", "score --model DIR/wordless --source DIR/two --target DIR/two", "",
			`DIR/wordless: model without vocabularies, expected one from rnnsearch train`},
		{"unequal pairs", "score --model DIR/model --source DIR/three --target DIR/two", "",
			`DIR/three:3: unequal numbers of lines: DIR/three has 3, DIR/two has 2, expected the same`},

		{"tokens of translations", align + "--tokens", "a\n", `--tokens: expected with --source and --target`},
		{"agreement on translations", align + "--agree fr-en", "a\n", `--agree: expected with --source and --target`},
		{"several models", align + "--model fr-en", "a\n", `--model: expected once, or with --agree`},
		{"aer without a purpose", "aer --forward DIR/two", "", `expected either --gold or --symmetrize`},
		{"symmetrize one direction", "aer --forward DIR/two --symmetrize union", "", `--symmetrize union: expected with --backward`},
		{"unknown way to symmetrize", "aer --forward DIR/two --backward DIR/two --symmetrize grow", "",
			`--symmetrize "grow": expected intersection, union, grow-diag or grow-diag-final; did you mean grow-diag or grow-diag-final`},
		{"format", align + "--format gif", "", `--format "gif": expected pharaoh, json, map or svg`},
		{"words of the source without alignments", "translate --model DIR/encdec --model DIR/encdec --replace-unk", "the cat\n",
			`--replace-unk: models of kind encdec have no alignments, expected at least one of kind search`},
		{"model without alignments", "align --model DIR/encdec", "", `DIR/encdec: model of kind encdec has no alignments, expected search`},
		{"line too long for a beam", align + "--beam 1000", "the cat .\n\n" + strings.Repeat("a ", 500),
			"warning: standard input:3: #source of 501 words, beam of 1000 and translation of up to 1503 words take # MiB: more than the capacity of 2048.0 MiB, aligned as an empty line\nrnnsearch: standard input: 1 of 3 lines cannot be used: aligned as an empty line"},
		{"nothing to draw", align + "--format svg", "\n\n", `no sentence to draw`},

		{"no built-in model", "align --model en-xx", "", `# en-xx: no such file or directory; the models that are built in are en-fr and fr-en`},
		{"no file", "info --model DIR/no", "", `# DIR/no: no such file or directory`},
		{"foreign file", "info --model DIR/three", "", `not a model: #DIR/three: #: looks like text`},
		{"other tensors", "info --model DIR/other", "", `not a model: DIR/other: not a softsearch model: format "other", expected "softsearch 1"`},

		{"no side", "info --model DIR/model --vocabulary both", "", `--vocabulary "both": expected source or target`},
		{"no codes", "info --model DIR/model --codes", "", `DIR/model: model without byte-pair encoding`},
		{"no vocabulary", "info --model DIR/wordless --vocabulary source", "", `DIR/wordless: model without vocabularies`},
		{"checkpoint as a model", "align --model DIR/checkpoint", "", `DIR/checkpoint: is a training checkpoint, expected the model that train --model wrote`},

		{"log of text", "plot DIR/three", "", `DIR/three:1: invalid character 'h' in literal true (expecting 'r'), expected a JSON object`},
		{"log cut off", "plot", "\n{\"event\":", `standard input:2: unexpected end of JSON input, expected a JSON object`},
		{"impossible loss", "plot", `{"event":"progress","update":1,"loss":1e300}`, `standard input:1: progress record: expected update, at least 1, and loss, 0 to 1000000`},
		{"second log", "plot DIR/log DIR/two", "", `DIR/two:1: invalid character 'l' looking for beginning of value, expected a JSON object`},
	})
}

// putInspected writes the files for TestInspectErrors that put does not write.
func putInspected(t *testing.T, dir string) {
	t.Helper()
	if err := model.Save(filepath.Join(dir, "encdec"), withoutAttention(t)); err != nil {
		t.Fatal(err)
	}
	other := &safetensors.File{Metadata: map[string]string{"format": "other"}}
	if err := safetensors.Save(filepath.Join(dir, "other"), other); err != nil {
		t.Fatal(err)
	}
	checkpoint := &safetensors.File{Metadata: map[string]string{"format": "softsearch checkpoint 1"}}
	if err := safetensors.Save(filepath.Join(dir, "checkpoint"), checkpoint); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte(`{"event":"progress","update":7,"loss":4}`), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestReadErrors has files that the system cannot read, and a standard input that fails after a line.
// The error names each, and nothing is left.
func TestReadErrors(t *testing.T) {
	const unreadable = "/proc/self/mem"
	if _, err := os.ReadFile(unreadable); !errors.Is(err, syscall.EIO) {
		t.Skip("no file that cannot be read")
	}
	dir := t.TempDir()
	put(t, dir)
	putInspected(t, dir)
	train := strings.Join(trainArgs(t, t.TempDir(), "--model", dir+"/m", "--source-language", "en", "--target-language", "fr"), " ")
	before := entries(t, dir)
	for _, args := range []string{
		"info --model BAD", "translate --model BAD", "score --model BAD --source DIR/two --target DIR/two", "align --model BAD", "serve --model BAD",
		"quantize --model BAD --output DIR/q", "quantize --model DIR/model --source DIR/two --target BAD", "bleu --reference BAD", "bleu --reference DIR/two --baseline BAD", "plot BAD",
		"translate --model DIR/model --input BAD", "translate --model DIR/model --input BAD --output DIR/out --resume", "translate --model DIR/model --input BAD --output DIR/out",
		"score --model DIR/model --source BAD --target DIR/two", "score --model DIR/model --source DIR/two --target BAD --output DIR/out", "align --model DIR/model --source BAD --target DIR/two",
		train + " --settings BAD", train + " --source BAD --target DIR/two", train + " --valid-source BAD", train + " --source-vocabulary BAD", train + " --codes BAD", train + " --init BAD",
		"translate --model DIR/model", "bleu --reference DIR/two", "align --model DIR/model", "plot",
	} {
		var stdout, stderr bytes.Buffer
		stdin := io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(syscall.EIO))
		code := run(context.Background(), strings.Fields(strings.NewReplacer("DIR", dir, "BAD", unreadable).Replace(args)), stdin, &stdout, &stderr)
		name := "standard input"
		if strings.Contains(args, "BAD") {
			name = unreadable
		}
		if got := stderr.String(); code != 1 || !strings.Contains(got, name) || !strings.HasSuffix(got, "input/output error\n") {
			t.Errorf("%s: exit code %d, %s", args, code, got)
		}
	}
	wantFiles(t, dir, before...)
}

// TestLargeInputs has a file of 70 MiB, compressed, for flags whose files are kept whole.
func TestLargeInputs(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(append(bytes.Repeat([]byte(" "), 1<<19), '\n'))
	w.Close()
	large := write(t, "large", strings.Repeat(b.String(), 140))
	for _, args := range [][]string{{"translate", "--format", "html", "--input", large}, {"translate", "--terms", large}, {"plot", large}} {
		if _, stderr, code := execute("", args...); code != 1 || !strings.Contains(stderr, large+": too large, expected at most ") {
			t.Errorf("%s: exit code %d, %s", args, code, stderr)
		}
	}
}
