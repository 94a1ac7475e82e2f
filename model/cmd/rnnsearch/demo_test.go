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

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

// quickDemo returns settings of a demo that takes less than a second, and leaves its model in a file of the test.
func quickDemo(t *testing.T) demonstration {
	d := defaultDemo
	d.Model = filepath.Join(t.TempDir(), "demo.safetensors")
	d.Program = program()
	d.Sentences, d.HeldOut, d.Shown = 200, 20, 2
	d.Threads = 2
	d.Stages = []demoStage{{Words: 12, Updates: 3}, {Words: 81, Updates: 2}}
	d.Embedding, d.Hidden, d.Alignment, d.Maxout = 8, 16, 8, 8
	return d
}

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	if _, err := quickDemo(t).Run(t.Context(), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^200 pairs of generated sentences of 3 to 80 words, \d+ different words in English and \d+ in French
model: update-first, .*
up to 11 words: 3 updates of 12 sentences in .*s, .* sentences/s, loss .* per word
up to 80 words: 2 updates of 12 sentences in .*s, .* sentences/s, loss .* per word

(source       .*
translation  .*
reference    .*

){2}BLEU = .*, ref_len=\d+\)
\d+ of 20 translations of held-out sentences equal the reference

attention to the words .*:

(?s:.+) (██|▓▓|▒▒|░░|·)

the model knows these English words, .*:

  beings       man, (?s:.+)

the model is in (?s:.+)

to train on your own text, (?s:.+) train --source (?s:.+)
$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// TestDemoText reads the text that the demo writes.
func TestDemoText(t *testing.T) {
	d := quickDemo(t)
	prefix := filepath.Join(t.TempDir(), "demo")
	if err := d.write(prefix); err != nil {
		t.Fatal(err)
	}
	if err := d.write(prefix); !errors.Is(err, files.ErrExists) {
		t.Errorf("again: %v", err)
	}
	for name, want := range map[string]int{".en": d.Sentences, ".fr": d.Sentences, "-new.en": d.HeldOut, "-new.fr": d.HeldOut} {
		if got := strings.Count(content(t, prefix+name), "\n"); got != want {
			t.Errorf("%s has %d lines, want %d", name, got, want)
		}
	}
}

// TestDemoModel keeps the model and runs the commands that the demo ends with. The name of the file
// needs quotes. That of train gets text that it refuses after it has read the flags.
func TestDemoModel(t *testing.T) {
	d := quickDemo(t)
	dir := t.TempDir()
	d.Model = filepath.Join(dir, "it's new")
	var out bytes.Buffer
	m, err := d.Run(t.Context(), &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^  \S.*$(\n    .*$)*`).FindAllString(out.String(), -1)
	commands = slices.DeleteFunc(commands, func(c string) bool { return !strings.Contains(c, program()) }) // rows of the heat map
	if len(commands) != 4 || !strings.Contains(commands[2], " serve --model en-fr='") {
		t.Fatalf("commands %q in\n%s", commands, &out)
	}
	path := saved(t, m)
	for i, test := range []struct {
		stdin string
		args  []string
	}{
		{strings.Join(demoExamples, "\n") + "\n", []string{"translate", "--model", path}},
		{demoExamples[1] + "\n", []string{"align", "--model", path, "--format", "map"}},
	} {
		got, err := runScript(t, dir, commands[i], program())
		want, _, _ := execute(test.stdin, test.args...)
		if err != nil || withoutLoops(got) != want || want == "" {
			t.Errorf("%s: %v, got %q, want %q", commands[i], err, got, want)
		}
	}
	for _, name := range []string{"text.en", "text.fr"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if printed, err := runScript(t, dir, commands[3], program()); err == nil || !strings.Contains(printed, "1 pair: expected at least 10") {
		t.Errorf("%s: %v\n%s", commands[3], err, printed)
	}
}

// TestDemoAgain runs the demo where an earlier one has left its model, and where other files are.
func TestDemoAgain(t *testing.T) {
	d := quickDemo(t)
	results := func() string {
		var out bytes.Buffer
		if _, err := d.Run(t.Context(), &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(out.String(), "\n\n")
		if trained := strings.Contains(out.String(), " updates of "); trained == strings.Contains(out.String(), " an earlier demo; --overwrite trains again\n\n") {
			t.Errorf("trained: %v, output\n%s", trained, &out)
		}
		return after
	}
	first := results()
	written := content(t, d.Model)
	info, err := os.Stat(d.Model)
	if err != nil {
		t.Fatal(err)
	}
	if again := results(); again != first {
		t.Errorf("with the model there, got\n%s\nwant\n%s", again, first)
	}
	if after, err := os.Stat(d.Model); err != nil || !os.SameFile(info, after) {
		t.Errorf("the model has been replaced: %v", err)
	}
	d.Overwrite = true
	if again := results(); again != first || content(t, d.Model) != written {
		t.Error("training again gives another model")
	}
	d.Overwrite = false
	larger := d
	larger.Hidden = 24
	if _, err := larger.Run(t.Context(), io.Discard, io.Discard); !errors.Is(err, files.ErrExists) || content(t, d.Model) != written {
		t.Errorf("another model in the file: %v", err)
	}
	d.Model = write(t, "text", "not a model")
	if _, err := d.Run(t.Context(), io.Discard, io.Discard); err == nil || content(t, d.Model) != "not a model" {
		t.Errorf("text in the file: %v", err)
	}
}

// TestDemoLearns trains on the short sentences and translates one as people may write it.
func TestDemoLearns(t *testing.T) {
	t.Parallel()
	if !fixture.Full() {
		t.Skip("trains for seconds")
	}
	d := defaultDemo
	d.Threads, d.HeldOut, d.Stages = 2, 20, d.Stages[:1]
	d.Model = filepath.Join(t.TempDir(), "m")
	if _, err := d.Run(t.Context(), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	const stdin = "The red car.\nthe red car\nTHE RED CAR\nThe red car!\n"
	const want = "La voiture rouge.\nla voiture rouge\nLA VOITURE ROUGE\nLa voiture rouge !\n"
	if got, stderr, code := execute(stdin, "translate", "--model", d.Model); got != want || code != 0 {
		t.Errorf("exit code %d, %s, got\n%swant\n%s", code, stderr, got, want)
	}
}
