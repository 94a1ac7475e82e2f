package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/demo"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// quickDemo returns settings of a demo that takes less than a second.
func quickDemo() demo.Settings {
	d := demo.Default
	d.Program = program()
	d.Sentences, d.HeldOut, d.Shown = 200, 20, 2
	d.Threads = 2
	d.Stages = []demo.Stage{{Words: 12, Updates: 3}, {Words: 81, Updates: 2}}
	d.Embedding, d.Hidden, d.Alignment, d.Maxout = 8, 16, 8, 8
	return d
}

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	if _, err := quickDemo().Run(t.Context(), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^200 pairs of generated sentences of 3 to 80 words, \d+ different words in English and \d+ in French
model: update-first, .*
up to 11 words: 3 updates of 8 sentences in .*s, .* sentences/s, loss .* per word
up to 80 words: 2 updates of 8 sentences in .*s, .* sentences/s, loss .* per word

(source       .* \.
translation  .*
reference    .* \.

){2}BLEU = .*, ref_len=\d+\)
\d+ of 20 translations of held-out sentences equal the reference

attention to the words .*:

(?s:.+) (██|▓▓|▒▒|░░|·)

to keep the model for the other commands:

  .* demo --model demo.safetensors

to train on your own text, (?s:.+) train --source (?s:.+)
$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// TestDemoModel keeps the model and runs the commands that the demo ends with. The name of the file
// needs quotes. That of train gets text that it refuses after it has read the flags.
func TestDemoModel(t *testing.T) {
	d := quickDemo()
	dir := t.TempDir()
	d.Model = filepath.Join(dir, "it's new")
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := d.Run(t.Context(), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^  \S.*$(\n    .*$)*`).FindAllString(out.String(), -1)
	commands = slices.DeleteFunc(commands, func(c string) bool { return !strings.Contains(c, program()) }) // rows of the heat map
	if len(commands) != 3 {
		t.Fatalf("commands %q in\n%s", commands, &out)
	}
	var got []string
	for _, command := range commands[:2] {
		printed, err := runScript(t, dir, command, program())
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, printed)
		}
		got = append(got, withoutLoops(printed))
	}
	m, err := model.Open(d.Model)
	if err != nil {
		t.Fatal(err)
	}
	_, heldOut := grammar.Pairs(d.Seed, d.Sentences, d.HeldOut)
	sentence, path := strings.Join(heldOut[0].Source, " ")+"\n", saved(t, m)
	for i, args := range [][]string{{"translate", "--model", path}, {"align", "--model", path, "--format", "map"}} {
		want, _, _ := execute(sentence, args...)
		if got[i] != want || strings.TrimSpace(want) == "" {
			t.Errorf("%s: got %q, want %q", commands[i], got[i], want)
		}
	}
	for _, name := range []string{"text.en", "text.fr"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if printed, err := runScript(t, dir, commands[2], program()); err == nil || !strings.Contains(printed, "1 pairs: expected at least 10") {
		t.Errorf("%s: %v\n%s", commands[2], err, printed)
	}
	if err := d.Check(); !errors.Is(err, files.ErrExists) {
		t.Errorf("existing file: %v", err)
	}
	d.Overwrite = true
	if err := d.Check(); err != nil {
		t.Errorf("existing model: %v", err)
	}
	if d.Model = filepath.Join(dir, "text.en"); d.Check() == nil {
		t.Error("replaces a text")
	}
}
