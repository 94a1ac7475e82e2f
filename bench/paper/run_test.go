package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

const tiny = `{"embedding": 8, "hidden": 8, "maxout": 8, "batch": 10, "optimizer": "adam", "updates": 30, "progress-updates": 10, "vocab": 200}`

// arguments returns the arguments of a small experiment on the files in a folder, with new folders for
// work and results.
func arguments(t *testing.T, files, name string) []string {
	folder := t.TempDir()
	path := func(file string) string { return filepath.Join(files, file) }
	return []string{
		"run", "--source", path("train.source"), "--target", path("train.target"), "--valid-source", path("valid.source"),
		"--valid-target", path("valid.target"), "--test-source", path("test.source"), "--test-target", path("test.target"),
		"--join", "2", "--systems", "encdec-12,search-12,encdec-40,search-40", "--settings", path("tiny.json"),
		"--work", filepath.Join(folder, "work"), "--results", filepath.Join(folder, "results", name),
	}
}

// writeFiles writes a small corpus and its settings to a folder.
func writeFiles(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	train, heldOut := grammar.Pairs(1, 2000, 120)
	for name, pairs := range map[string][]text.Pair{"train": train, "valid": heldOut[:20], "test": heldOut[20:]} {
		if err := writePairs(folder, name, pairs); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "tiny.json"), []byte(tiny), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

// resultsOf returns the folder of --results, which is the last argument.
func resultsOf(args []string) string { return args[len(args)-1] }

func mustExecute(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := execute(t.Context(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	return stdout.String()
}

// TestRun runs an experiment with and without an interruption and compares the results and figures. It
// repeats a complete experiment, which must not train again, with a sentence for Figure 3, and with
// other settings, which must fail. It makes the tables of a page.
func TestRun(t *testing.T) {
	files := writeFiles(t)
	whole, broken := arguments(t, files, "tiny"), arguments(t, files, "tiny")
	mustExecute(t, whole...)
	interrupt(t, broken)
	mustExecute(t, broken...)
	for _, name := range []string{resultFile, "figure2.svg", "figure3.svg"} {
		want, err := os.ReadFile(filepath.Join(resultsOf(whole), name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(resultsOf(broken), name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs after an interruption: %v", name, err)
		}
	}

	log := filepath.Join(resultsOf(whole), "search-40.jsonl")
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	shown := filepath.Join(files, "shown")
	if err := os.WriteFile(shown, []byte("zebras sleep\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustExecute(t, append([]string{"run", "--shown", shown}, whole[1:]...)...)
	if figure, err := os.ReadFile(filepath.Join(resultsOf(whole), "figure3.svg")); err != nil || !strings.Contains(string(figure), ">zebras<") {
		t.Errorf("Figure 3 does not show the given sentence: %v", err)
	}
	if after, err := os.ReadFile(log); err != nil || !bytes.Equal(after, before) {
		t.Errorf("a complete training was trained again: %v", err)
	}

	addSystem(t, whole, "search-15")
	addSystem(t, whole, "encdec-41")
	settings := filepath.Join(files, "tiny.json")
	if err := os.WriteFile(settings, []byte(strings.Replace(tiny, `"hidden": 8`, `"hidden": 9`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if code := execute(t.Context(), whole, io.Discard, &stderr); code != 1 || !strings.Contains(stderr.String(), "results of other settings") {
		t.Errorf("with results of other settings: exit code %d, %s", code, stderr.String())
	}
	stderr.Reset()
	elsewhere := append(slices.Clone(whole[:len(whole)-1]), t.TempDir())
	if code := execute(t.Context(), elsewhere, io.Discard, &stderr); code != 1 || !strings.Contains(stderr.String(), "--hidden 9") {
		t.Errorf("with models of other settings: exit code %d, %s", code, stderr.String())
	}

	page := filepath.Join(filepath.Dir(filepath.Dir(resultsOf(whole))), "README.md")
	const markers = "a\n<!-- paper:table1 tiny -->\nold\n<!-- /paper -->\nb\n"
	if err := os.WriteFile(page, []byte(markers), 0o666); err != nil {
		t.Fatal(err)
	}
	if execute(t.Context(), []string{"page", "--page", page, "--check"}, io.Discard, io.Discard) != 1 {
		t.Error("page --check accepts empty tables")
	}
	const normalized = "            score      low     high\nBLEU        33.38    32.55    34.20\nBLEU 13a    33.36    32.54    34.16\nchrF2       53.77    53.19    54.36\n"
	if err := os.WriteFile(filepath.Join(resultsOf(whole), "search-40.bleu"), []byte(normalized), 0o666); err != nil {
		t.Fatal(err)
	}
	mustExecute(t, "page", "--page", page)
	mustExecute(t, "page", "--page", page, "--check")
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| results | model | minutes | all texts |", "| [tiny](results/tiny) | RNNsearch-40 | 0 | 0.00 (0.0–0.0) | 33.38 (32.5–34.2) | 100 |", "tiny: " + here().Machine} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "old") {
		t.Error("the old table remains")
	}
}

// addSystem adds a system to a complete experiment, whose other systems and Figure 3 must stay.
func addSystem(t *testing.T, args []string, name string) {
	t.Helper()
	read := func() ([]systemResult, string) {
		r, _, err := readResult(resultsOf(args))
		if err != nil {
			t.Fatal(err)
		}
		figure, err := os.ReadFile(filepath.Join(resultsOf(args), "figure3.svg"))
		if err != nil {
			t.Fatal(err)
		}
		return r.Systems, string(figure)
	}
	before, figure := read()
	args = slices.Clone(args)
	args[slices.Index(args, "--systems")+1] = name
	mustExecute(t, args...)
	after, figureAfter := read()
	byLimit := func(a, b systemResult) int { return a.Limit - b.Limit }
	added := slices.IndexFunc(after, func(s systemResult) bool { return s.file() == name })
	if added < 0 || !slices.IsSortedFunc(after, byLimit) {
		t.Fatalf("systems %+v", after)
	}
	if others := slices.Delete(after, added, added+1); !reflect.DeepEqual(others, before) {
		t.Errorf("earlier systems changed from %+v to %+v", before, others)
	}
	if figureAfter != figure {
		t.Errorf("%s changed Figure 3", name)
	}
}

// interrupt starts an experiment and cancels it when the first training has a log.
func interrupt(t *testing.T, args []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log := filepath.Join(filepath.Dir(filepath.Dir(resultsOf(args))), "work", "encdec-12.jsonl")
	go func() {
		for ctx.Err() == nil {
			if info, err := os.Stat(log); err == nil && info.Size() > 0 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if execute(ctx, args, io.Discard, io.Discard) != 1 {
		t.Error("the experiment ended before it was interrupted")
	}
}

func TestErrors(t *testing.T) {
	for _, args := range [][]string{
		{}, {"other"}, {"run", "extra"}, {"run", "--source", "a"}, {"run", "--systems", "search-5,search-5"}, {"run", "--systems", "other-5"}, {"run", "--systems", "search-05"}, {"run", "--systems", ""},
		{"run", "--source-language", "none"}, {"run", "--join", "0"},
		{"page", "--page", filepath.Join(t.TempDir(), "none")}, {"run", "--none"},
	} {
		var stderr bytes.Buffer
		if code := execute(t.Context(), args, io.Discard, &stderr); code == 0 || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
}
