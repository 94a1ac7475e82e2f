package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// cached runs a training and reports whether it left its cache as it was, and its messages.
func cached(t *testing.T, cache string, args []string) (same bool, stderr string) {
	t.Helper()
	before, err := os.Stat(cache)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, code := execute("", args...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	after, err := os.Stat(cache)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(before, after), stderr
}

// sameModel fails unless the models in two folders are equal.
func sameModel(t *testing.T, dir, want string) {
	t.Helper()
	if !bytes.Equal(read(t, dir+"/m"), read(t, want+"/m")) {
		t.Error("another model")
	}
}

// TestCache trains from a cache until the text, a setting or the cache changes. The models are those of
// trainings without a cache.
func TestCache(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	more := []string{"--bpe", "30", "--bpe-threshold", "2", "--length-ratio", "2", "--drop-duplicates"}
	without, args := trainArgs(t, whole, more...), trainArgs(t, dir, more...)
	cache := dir + "/cache"
	args = append(args, "--cache", cache)
	addBadLines(t, whole)
	messages := addBadLines(t, dir)
	mustTrain(t, without)
	want := mustTrain(t, args)
	sameModel(t, dir, whole)
	if _, ok := allFiles(t, whole)["m.corpus"]; ok {
		t.Error("there is a cache of small text")
	}
	intact := read(t, cache)
	hit := func(what string, args []string) {
		t.Helper()
		if same, stderr := cached(t, cache, args); !same || strings.Contains(stderr, "again") || !strings.Contains(stderr, messages[0]) {
			t.Errorf("%s: the same cache: %t, messages\n%s", what, same, stderr)
		}
	}
	miss := func(what, message string, args []string) {
		t.Helper()
		if same, stderr := cached(t, cache, args); same || !strings.Contains(stderr, message) {
			t.Errorf("%s: the same cache: %t, messages\n%swant %s", what, same, stderr, message)
		}
	}
	hit("the same text", args)
	replace(t, cache, func(b []byte) []byte { return b[:len(b)/2] })
	miss("half", "rnnsearch: warning: --cache "+cache+": not a complete corpus: ", args)
	if !bytes.Equal(read(t, cache), intact) {
		t.Error("the new cache differs")
	}

	for _, name := range []string{"/m", "/m.checkpoint"} {
		if err := os.Remove(dir + name); err != nil {
			t.Fatal(err)
		}
	}
	if out := mustTrain(t, args); strings.Split(out, "epoch")[0] != strings.Split(want, "epoch")[0] {
		t.Errorf("from the cache:\n%swant\n%s", out, want)
	}
	sameModel(t, dir, whole)
	hit("more epochs", append(args, "--epochs", "3"))
	mustTrain(t, append(without, "--epochs", "3"))
	sameModel(t, dir, whole)

	miss("another setting", "is of other settings or another version", append(args, "--overwrite", "--max-length", "19"))
	miss("the first setting", "is of other settings or another version", append(args, "--overwrite"))
	for _, dir := range []string{dir, whole} {
		replace(t, dir+"/target", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("roi"), []byte("rois")) })
	}
	miss("other text", "is of other text", append(args, "--overwrite"))
	hit("the other text", args)
	mustTrain(t, append(without, "--overwrite"))
	sameModel(t, dir, whole)
	wantFiles(t, dir, "cache", "m", "m.checkpoint", "source", "target", "valid-source", "valid-target")
}

// An onMessage is an output that calls f when something is written to it.
type onMessage struct {
	text []byte
	f    func()
}

func (w *onMessage) String() string { return string(w.text) }

func (w *onMessage) Write(p []byte) (int, error) {
	w.f()
	w.text = append(w.text, p...)
	return len(p), nil
}

// TestCacheShared starts trainings with one cache: one after the other with other seeds, and one while a
// process prepares text for it. That one waits, and takes the text from the cache that it finds.
func TestCacheShared(t *testing.T) {
	cache := t.TempDir() + "/cache"
	mustTrain(t, trainArgs(t, t.TempDir(), "--cache", cache))
	if same, stderr := cached(t, cache, trainArgs(t, t.TempDir(), "--cache", cache, "--seed", "2", "--batch", "7")); !same || stderr != "" {
		t.Errorf("the same cache: %t, %s", same, stderr)
	}
	content := read(t, cache)
	if err := os.Remove(cache); err != nil {
		t.Fatal(err)
	}
	lock, err := files.NewLock(cache)
	if err != nil {
		t.Fatal(err)
	}
	var written os.FileInfo
	stderr := onMessage{f: sync.OnceFunc(func() {
		if err := os.WriteFile(cache, content, 0o666); err != nil {
			t.Error(err)
		}
		if written, err = os.Stat(cache); err != nil {
			t.Error(err)
		}
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	})}
	code := run(t.Context(), trainArgs(t, t.TempDir(), "--cache", cache), strings.NewReader(""), io.Discard, &stderr)
	want := regexp.MustCompile("^rnnsearch: --cache " + cache + ": in use by another process; waiting for it\n$")
	if code != 0 || !want.MatchString(stderr.String()) {
		t.Fatalf("exit code %d, %swant %s", code, &stderr, want)
	}
	if after, err := os.Stat(cache); err != nil || !os.SameFile(written, after) {
		t.Errorf("the cache has been replaced, %v", err)
	}
	wantFiles(t, filepath.Dir(cache), "cache")
}

// TestSeveralFiles trains on text in several files, to the model of the same text in one.
func TestSeveralFiles(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole))
	args := trainArgs(t, dir)
	list := map[string][]string{}
	for _, name := range []string{"source", "target"} {
		lines := strings.SplitAfter(string(read(t, dir+"/"+name)), "\n")
		args = without(args, "--"+name)
		for _, part := range [][]string{lines[:7], lines[7:8], lines[8:]} {
			path := write(t, name)
			if err := os.WriteFile(path, []byte(strings.Join(part, "")), 0o666); err != nil {
				t.Fatal(err)
			}
			list[name] = append(list[name], path)
			args = append(args, "--"+name, path)
		}
	}
	mustTrain(t, args)
	sameModel(t, dir, whole)
	settings := write(t, "settings", fmt.Sprintf(`{"source": ["%s"], "target": ["%s"]}`, strings.Join(list["source"], `", "`), strings.Join(list["target"], `", "`)))
	mustTrain(t, append(slices.Clone(args[:len(args)-12]), "--settings", settings, "--epochs", "3"))

	args = slices.Clip(args)
	other := slices.Clone(args)
	other[slices.Index(args, list["source"][0])] = list["source"][1]
	for _, test := range []struct {
		args []string
		want string
	}{
		{append(args, "--source", list["source"][0]), "rnnsearch: --source: 4 files, --target: 3 files; expected as many\n"},
		{append(other, "--overwrite"), "unequal numbers of lines"},
	} {
		if _, stderr, code := execute("", test.args...); code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("exit code %d, %swant %s", code, stderr, test.want)
		}
	}
}

// TestFilters drops uneven pairs and duplicates, and counts them.
func TestFilters(t *testing.T) {
	source := []string{"a b c", "a b c", "a b c", "a", "a b", "a b c", "a b c d e f"}
	target := []string{"d e f", "d e f", "d e g", "d e f", "d e f", "d e f", "d e f"}
	for _, test := range []struct {
		flags     string
		kept      int
		messages  []string
		unwritten string
	}{
		{"", 7, nil, "length ratio"},
		{"--length-ratio 1.5", 5, []string{"training text: 2 pairs dropped with a length ratio above 1.5\n"}, "that an earlier one equals"},
		{"--length-ratio 2", 6, []string{"training text: 1 pair dropped with a length ratio above 2\n"}, "bad line"},
		{"--drop-duplicates", 5, []string{"training text: 2 pairs dropped that an earlier one equals\n"}, "length ratio"},
		{"--drop-duplicates --length-ratio 1", 2, []string{"2 pairs dropped that", "3 pairs dropped with a length ratio above 1\n"}, "bad line"},
	} {
		args := trainArgs(t, t.TempDir(), "--source", write(t, "s", source...), "--target", write(t, "t", target...))
		out := mustTrain(t, append(args, strings.Fields(test.flags)...))
		for _, message := range append(test.messages, fmt.Sprintf("training text: %d pairs, 0 dropped", test.kept)) {
			if !strings.Contains(out, message) {
				t.Errorf("%s: got\n%swant %s", test.flags, out, message)
			}
		}
		if strings.Contains(out, test.unwritten) {
			t.Errorf("%s: got\n%swithout %s", test.flags, out, test.unwritten)
		}
	}
	_, stderr, code := execute("", trainArgs(t, t.TempDir(), "--length-ratio", "0.5")...)
	if want := "--length-ratio 0.5: expected 1 to 10000, or 0 for no maximum\n"; code != 1 || !strings.HasSuffix(stderr, want) {
		t.Errorf("exit code %d, %swant %s", code, stderr, want)
	}
}

// TestSample learns merges from every third pair of the training text, and says so.
func TestSample(t *testing.T) {
	dir := t.TempDir()
	args := trainArgs(t, dir, "--bpe", "30", "--bpe-sample", "20")
	_, stderr, code := execute("", args...)
	if want := "rnnsearch: learning byte-pair encoding from 20 of 60 pairs; --bpe-sample 0 takes all\n"; code != 0 || stderr != want {
		t.Errorf("exit code %d, %swant %s", code, stderr, want)
	}
	m, err := model.Open(dir + "/m")
	if err != nil {
		t.Fatal(err)
	}
	pairs, _ := grammar.Pairs(1, 60, 0)
	var third []text.Pair
	for i := 2; i < len(pairs); i += 3 {
		third = append(third, pairs[i])
	}
	for _, test := range []struct {
		pairs []text.Pair
		equal bool
	}{{third, true}, {pairs, false}} {
		tokens := bpe.Frequencies{}
		for _, p := range test.pairs {
			tokens.Add(p.Source)
			tokens.Add(p.Target)
		}
		merges, err := bpe.Merges(tokens, 2)
		if err != nil {
			t.Fatal(err)
		}
		if want := slices.Collect(merges); slices.Equal(m.SourceText.Settings().Codes, want[:min(30, len(want))]) != test.equal {
			t.Errorf("merges of %d pairs: equal %t", len(test.pairs), !test.equal)
		}
	}
	for _, sample := range []string{"60", "0", "5000000"} {
		other := t.TempDir()
		if _, stderr, code := execute("", trainArgs(t, other, "--bpe", "30", "--bpe-sample", sample)...); code != 0 || stderr != "" {
			t.Errorf("exit code %d, %s", code, stderr)
		}
	}
}
