package main

import (
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// fields runs info and returns its fields by name, and the table of tensors.
func fields(t *testing.T, args ...string) (values map[string]string, tensors []string) {
	t.Helper()
	stdout, stderr, code := execute("", append([]string{"info"}, args...)...)
	if code != 0 {
		t.Fatal(stderr)
	}
	stdout, table, _ := strings.Cut(stdout, "\n\n")
	values = map[string]string{}
	for line := range strings.Lines(stdout) {
		values[strings.TrimSpace(line[:19])] = strings.TrimSpace(line[19:])
	}
	if table == "" {
		return values, nil
	}
	return values, strings.Split(strings.TrimSuffix(table, "\n"), "\n")[1:]
}

// TestInfo counts the parameters by the paper's equations and computes the checksum as package
// safetensors documents it.
func TestInfo(t *testing.T) {
	m := tinyModel(t)
	path := saved(t, m)
	file := contents(t, path)
	digits := regexp.MustCompile(`"sha256":"([0-9a-f]{64})"`).FindStringSubmatch(file)[1]
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Replace(file, digits, strings.Repeat("0", 64), 1))))
	const e, h, a, l, v = 8, 16, 8, 8, 80
	const gru = 3*h*e + 3*h*h + 3*h
	const count = 2*v*e + 3*gru + 3*h*2*h + h*h + h + a*h + a*2*h + a + 2*l*(h+e+2*h) + 2*l + v*l + v
	got, tensors := fields(t, "--model", path)
	for name, want := range map[string]string{
		"file": "model", "kind": "search (RNNsearch)", "decoder": "update-first",
		"embedding": "8", "hidden": "16", "alignment": "8, additive", "maxout": "8",
		"source words": "80: " + strings.Join(m.Source.Words()[:10], " ") + " …",
		"target words": "80: " + strings.Join(m.Target.Words()[:10], " ") + " …",
		"source text":  "tokenized, words separated by white space",
		"target text":  "tokenized, words separated by white space",
		"parameters":   fmt.Sprintf("%d in 43 tensors", count), "format": "safetensors, softsearch 1",
		"size": fmt.Sprintf("%d bytes", len(file)), "checksum": "sha256 " + sum,
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if len(tensors) != 0 {
		t.Errorf("tensors without --tensors: %q", tensors)
	}
}

// TestInfoTensors compares two tensors with the parameters of the model.
func TestInfoTensors(t *testing.T) {
	m := tinyModel(t)
	_, tensors := fields(t, "--model", saved(t, m), "--tensors")
	if len(tensors) != 43 {
		t.Fatalf("%d tensors, want 43", len(tensors))
	}
	magnitude := func(values []float32) float64 {
		sum := 0.0
		for _, v := range values {
			sum += math.Abs(float64(v))
		}
		return sum / float64(len(values))
	}
	for name, want := range map[string]string{
		"target.embedding": fmt.Sprintf("80×8 %.6g", magnitude(m.Parameters.Target.Data)),
		"output.b":         fmt.Sprintf("80 %.6g", magnitude(m.Parameters.B)),
	} {
		found := false
		for _, line := range tensors {
			words := strings.Fields(line)
			found = found || words[0] == name && strings.Join(words[1:], " ") == want
		}
		if !found {
			t.Errorf("no %s %s in\n%s", name, want, strings.Join(tensors, "\n"))
		}
	}
}

// TestInfoOthers describes a model without vocabularies and attention, and a checkpoint.
func TestInfoOthers(t *testing.T) {
	m := withoutAttention(t)
	m.Source, m.Target = nil, nil
	path := filepath.Join(t.TempDir(), "m")
	if err := model.Save(path, m); err != nil {
		t.Fatal(err)
	}
	got, _ := fields(t, "--model", path)
	if got["kind"] != "encdec (RNNencdec, without attention)" || got["source words"] != "80, as ids only" || got["alignment"] != "" {
		t.Errorf("got %q", got)
	}
	pairs, _ := grammar.Pairs(1, 20, 0)
	l, err := newTrainer(tinyModel(t), pairs, model.Recipe{LabelSmoothing: 0.5}, 4, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if _, _, err := l.next(); err != nil {
		t.Fatal(err)
	}
	if err := l.Save(path, ""); err != nil {
		t.Fatal(err)
	}
	got, tensors := fields(t, "--model", path, "--tensors")
	if got["file"] != "training checkpoint, not a model" || got["format"] != "safetensors, softsearch checkpoint 1" ||
		got["updates"] != "1" || !strings.HasPrefix(got["config"], `{"kind":"search",`) || !strings.Contains(got["recipe"], `"label_smoothing":0.5`) ||
		len(tensors) != 3 || !strings.HasPrefix(tensors[1], "adadelta.g2 ") {
		t.Errorf("got %q and %q", got, tensors)
	}
}
