package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// quickDemo returns settings of a demo that takes less than a second.
func quickDemo() demoSettings {
	d := demo
	d.sentences, d.heldOut, d.shown = 200, 20, 2
	d.threads = 2
	d.stages = []stage{{words: 12, updates: 3}, {words: 81, updates: 2}}
	d.embedding, d.hidden, d.alignment, d.maxout = 8, 16, 8, 8
	return d
}

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	if _, err := quickDemo().run(t.Context(), &out, quiet); err != nil {
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
	d.model = filepath.Join(dir, "it's new")
	if err := d.check(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := d.run(t.Context(), &out, quiet); err != nil {
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
		got = append(got, printed)
	}
	m, err := model.Open(d.model)
	if err != nil {
		t.Fatal(err)
	}
	_, heldOut := grammar.Pairs(d.seed, d.sentences, d.heldOut)
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
	if err := d.check(); !errors.Is(err, files.ErrExists) {
		t.Errorf("existing file: %v", err)
	}
	d.overwrite = true
	if err := d.check(); err != nil {
		t.Errorf("existing model: %v", err)
	}
	if d.model = filepath.Join(dir, "text.en"); d.check() == nil {
		t.Error("replaces a text")
	}
}

// resultOf returns a result whose target words are aligned to the source words in order.
func resultOf(source, target, translation string, order ...int) result {
	r := result{Pair: text.Pair{Source: strings.Fields(source), Target: strings.Fields(target)}, translation: strings.Fields(translation)}
	r.alignment.Source, r.alignment.Target = r.Source, r.translation
	r.alignment.Weights = kernels.NewMatrix(len(r.translation), len(r.Source))
	for i, j := range order {
		r.alignment.Weights.Row(i)[j] = 1
	}
	return r
}

func TestLeastMonotone(t *testing.T) {
	monotone := resultOf("a b c", "A B C", "A B C", 0, 1, 2)
	wrong := resultOf("a b c", "A B C", "C B A", 2, 1, 0)
	reordered := resultOf("a b c", "A C B", "A C B", 0, 2, 1)
	long := resultOf("a b c d e", "E D C B A", "E D C B A", 4, 3, 2, 1, 0)
	d := demoSettings{maxMapWords: 4}
	for _, test := range []struct {
		results []result
		want    *result
	}{
		{nil, nil},
		{[]result{long}, nil},
		{[]result{monotone, wrong, long}, &monotone},
		{[]result{wrong, monotone, reordered, long}, &reordered},
		{[]result{wrong}, &wrong},
	} {
		got := d.leastMonotone(test.results)
		if (got == nil) != (test.want == nil) || got != nil && !slices.Equal(got.translation, test.want.translation) {
			t.Errorf("got %v, want %v", got, test.want)
		}
	}
}

func TestBackwardJumps(t *testing.T) {
	// The only backward jump is from "été" to "rouge".
	weights := kernels.View([]float32{
		1, 0, 0, 0,
		0.1, 0.25, 0.65, 0,
		0, 0.8, 0.2, 0,
		0, 0, 0.5, 0.5,
	}, 4, 4)
	if got, want := backwardJumps(weights), float32(0.65)*0.8; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
