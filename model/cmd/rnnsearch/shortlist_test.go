package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// TestShortlist gives a model a lexicon and checks that translations have its words only, that
// --shortlist off leaves them unchanged, and that info describes it.
func TestShortlist(t *testing.T) {
	path := saved(t, tinyModel(t))
	pairs, _ := grammar.Pairs(1, 60, 0)
	var source []string
	for _, p := range pairs {
		source = append(source, strings.Join(p.Source, " "))
	}
	translate := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := execute(strings.Join(source, "\n")+"\n", append([]string{"translate", "--model", path, "--max-length", "8", "--replace-unk=false"}, args...)...)
		if code != 0 {
			t.Fatal(stderr)
		}
		return stdout
	}
	before := translate()
	if _, tensors := fields(t, "--model", path); tensors != nil || translate("--shortlist", "off") != before {
		t.Error("--shortlist off differs without a lexicon")
	}

	_, stderr, code := execute("", "shortlist", "--model", path, "--source", write(t, "source", source...),
		"--words", "2", "--common", "14")
	if code != 0 || !strings.Contains(stderr, "common ones") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	m, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if values, _ := fields(t, "--model", path); !strings.HasPrefix(values["shortlist"], "14 words of any sentence, ") {
		t.Errorf("info: shortlist %q", values["shortlist"])
	}
	if got := translate("--shortlist", "off"); got != before {
		t.Error("--shortlist off differs with a lexicon")
	}
	restricted := 0
	for i, line := range strings.Split(strings.TrimSuffix(translate(), "\n"), "\n") {
		words := model.Candidates([]*model.Model{m}, m.Encode(source[i]))
		if words == nil {
			continue
		}
		restricted++
		allowed := " " + strings.Join(m.Target.Decode(words[1:]), " ") + " " // without EOS
		for word := range strings.FieldsSeq(line) {
			if !strings.Contains(allowed, " "+word+" ") {
				t.Errorf("line %d: %q is not in the shortlist%s", i+1, word, allowed)
			}
		}
	}
	if restricted == 0 {
		t.Error("no sentence has a shortlist")
	}
}

// TestShortlistNeedsText has sources of which no line, or nearly no word, can be used.
func TestShortlistNeedsText(t *testing.T) {
	path := saved(t, tinyModel(t))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, code := execute("", "shortlist", "--model", path, "--source", write(t, "source", "", "caf\xe9"))
	if code != 1 || !strings.Contains(stderr, "2 of 2 lines cannot be used") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("a shortlist without sentences replaces the model: %v", err)
	}
	_, stderr, code = execute("", "shortlist", "--model", path, "--source", write(t, "source", "the cat"))
	if code != 0 || !strings.Contains(stderr, "source words, and translations of the others lack words") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

func TestShortlistErrors(t *testing.T) {
	text, m, dir := write(t, "text", "the cat", "the dog"), saved(t, tinyModel(t)), t.TempDir()
	mustTrain(t, trainArgs(t, dir))
	foreign := dir + "/foreign"
	if err := safetensors.Save(foreign, &safetensors.File{}); err != nil {
		t.Fatal(err)
	}
	locked := saved(t, tinyModel(t))
	l, err := files.NewLock(locked)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Unlock()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"shortlist", "--model", "en-fr", "--source", text}, "is built in, expected a file"},
		{[]string{"shortlist", "--model", m, "--source", text, "--words", "0"}, "--words 0"},
		{[]string{"shortlist", "--model", text, "--source", text}, "rnnsearch: open " + text + ": not a safetensors file"},
		{[]string{"shortlist", "--model", foreign, "--source", text}, "rnnsearch: " + foreign + ": is not a model\n"},
		{[]string{"shortlist", "--model", dir + "/no", "--source", text}, "rnnsearch: open " + dir + "/no: no such file"},
		{[]string{"shortlist", "--model", dir + "/m.checkpoint", "--source", text}, "rnnsearch: " + dir + "/m.checkpoint: is a training checkpoint"},
		{[]string{"shortlist", "--model", m, "--source", m}, "--model " + m + ": is an input"},
		{[]string{"shortlist", "--model", locked, "--source", text}, "--model " + locked + ": in use"},
		{[]string{"translate", "--shortlist", "no"}, "expected on or off"},
	} {
		if _, stderr, code := execute("", test.args...); code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit code %d, %s, want %s", test.args, code, stderr, test.want)
		}
	}
}
