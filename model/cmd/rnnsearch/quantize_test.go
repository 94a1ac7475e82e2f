package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// quantized returns the int8 form of m.
func quantized(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	q, err := m.Quantize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// quantizedFiles saves m, quantizes the file and returns the paths of both.
func quantizedFiles(t *testing.T, m *model.Model) (float32Path, int8Path string) {
	t.Helper()
	float32Path, int8Path = saved(t, m), filepath.Join(t.TempDir(), "int8.safetensors")
	if _, stderr, code := execute("", "quantize", "--model", float32Path, "--output", int8Path); code != 0 {
		t.Fatal(stderr)
	}
	return float32Path, int8Path
}

// TestQuantize compares the file with that of the model quantized in memory, and its size with the
// target: 0.27 of the size of a model with rows of a usual length.
func TestQuantize(t *testing.T) {
	large, err := model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
		SourceVocab: 300, TargetVocab: 400, Embedding: 128, Hidden: 96, Alignment: 96, Maxout: 64,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	summary := regexp.MustCompile(`^rnnsearch: quantized (\d+) bytes to (\d+) bytes, ratio (0\.\d{3}), in \d+\.\d s\n$`)
	for name, m := range map[string]*model.Model{"small": tinyModel(t), "without attention": withoutAttention(t), "large, of ids": large} {
		path := saved(t, m)
		output := filepath.Join(t.TempDir(), "q")
		before := content(t, path)
		stdout, stderr, code := execute("", "quantize", "--model", path, "--output", output)
		var want bytes.Buffer
		if err := model.Write(&want, quantized(t, m)); err != nil {
			t.Fatal(err)
		}
		got := content(t, output)
		if code != 0 || stdout != "" || got != want.String() || content(t, path) != before {
			t.Fatalf("%s: exit code %d, standard output %q, file of %d bytes, want %d: %s", name, code, stdout, len(got), want.Len(), stderr)
		}
		ratio := float64(len(got)) / float64(len(before))
		match := summary.FindStringSubmatch(stderr)
		if match == nil || match[1] != fmt.Sprint(len(before)) || match[2] != fmt.Sprint(len(got)) || match[3] != fmt.Sprintf("%.3f", ratio) {
			t.Errorf("%s: summary %q of %d and %d bytes", name, stderr, len(before), len(got))
		}
		if m == large && ratio > 0.27 {
			t.Errorf("%s: ratio %v, want at most 0.27", name, ratio)
		}
		if names := entries(t, filepath.Dir(output)); len(names) != 1 {
			t.Errorf("%s: the folder has %q", name, names)
		}
		stdout, stderr, code = execute("", "quantize", "--model", path, "--output", output, "--overwrite", "--quiet")
		if code != 0 || stdout+stderr != "" || content(t, output) != got {
			t.Errorf("%s: again with --quiet: exit code %d, output %q, %q", name, code, stdout, stderr)
		}
	}
}

// predictions returns the scores of the pairs, each alone.
func predictions(t *testing.T, m *model.Model, pairs []text.Pair) []decode.Translation {
	t.Helper()
	tr := testTranslator(t, m, decode.Options{Threads: 1})
	var list []decode.Translation
	for _, e := range text.Examples(pairs, m.Source, m.Target) {
		r, err := tr.Score(t.Context(), e.Source, e.Target)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestQuantizeRefusals has inputs and outputs that quantize cannot use: no file changes.
func TestQuantizeRefusals(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	putInspected(t, dir)
	if err := model.Save(dir+"/int8", quantized(t, tinyModel(t))); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(dir+"/model", dir+"/hard"); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("model", dir+"/soft"); err != nil {
		t.Skip(err)
	}
	const quantize = "quantize --model DIR/model --output "
	const exists = "exists already, expected a new file or --overwrite"
	const input = "is an input, expected another file"
	const text = " --source DIR/two --target DIR/two"
	before := allFiles(t, dir)
	checkRefusals(t, dir, []refusal{
		{"overwriting nothing", "quantize --overwrite --model DIR/model" + text, "", "--overwrite: expected with --output"},

		{"int8 already", "quantize --model DIR/int8 --output DIR/q", "", "DIR/int8: is int8 already, expected a model of float32"},
		{"checkpoint", "quantize --model DIR/checkpoint --output DIR/q", "", "DIR/checkpoint: is a training checkpoint, expected the model that train --model wrote"},
		{"text", "quantize --model DIR/three --output DIR/q", "", "open DIR/three: not a safetensors file: #"},

		{"the input", quantize + "DIR/model --overwrite", "", "--output DIR/model: " + input},
		{"a hard link", quantize + "DIR/hard --overwrite", "", "--output DIR/hard: " + input},
		{"a symbolic link", quantize + "DIR/soft", "", "--output DIR/soft: " + input},
		{"the source", quantize + "DIR/two --overwrite" + text, "", "--output DIR/two: " + input},
		{"an int8 model that exists", quantize + "DIR/int8", "", "--output DIR/int8: " + exists},

		{"other lines", quantize + "DIR/q --source DIR/two --target DIR/three", "", "DIR/three:3: #: DIR/two has 2, DIR/three has 3, expected the same"},
	})
	if after := entries(t, dir); len(after) != len(before) {
		t.Errorf("the folder has %q", after)
	}
	unchanged(t, dir, before)
}
