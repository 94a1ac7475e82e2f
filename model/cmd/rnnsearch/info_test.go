package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
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
	m.Search = model.Search{Beam: 3, Prune: 1.5, Normalization: 0.6, Unsure: -1.25}
	path := saved(t, m)
	file := content(t, path)
	digits := regexp.MustCompile(`"sha256":"([0-9a-f]{64})"`).FindStringSubmatch(file)[1]
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Replace(file, digits, strings.Repeat("0", 64), 1))))
	const e, h, a, l, v = 8, 16, 8, 8, 80
	const gru = 3*h*e + 3*h*h + 3*h
	const count = 2*v*e + 3*gru + 3*h*2*h + h*h + h + a*h + a*2*h + a + 2*l*(h+e+2*h) + 2*l + v*l + v
	got, tensors := fields(t, "--model", path)
	for name, want := range map[string]string{
		"file": "model", "kind": "search (RNNsearch)", "decoder": "update-first",
		"embedding": "8", "hidden": "16", "alignment": "8, additive", "maxout": "8", "weights": "float32",
		"source words": "80: " + strings.Join(m.Source.Words()[:10], " ") + " …",
		"target words": "80: " + strings.Join(m.Target.Words()[:10], " ") + " …",
		"source text":  "tokenized, words separated by white space",
		"target text":  "tokenized, words separated by white space",
		"search":       "beam 3, pruned 1.5 below the best, log p / words^0.6, unsure below -1.25 a word",
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

// TestInfoHostile describes files whose strings have escape sequences for a terminal.
func TestInfoHostile(t *testing.T) {
	const evil = "\x1b]0;title\x07\u009b2J\u202e"
	m := tinyModel(t)
	for _, v := range []**text.Vocabulary{&m.Source, &m.Target} {
		words := (*v).Words()
		words[2] = evil
		var err error
		if *v, err = text.VocabularyOf(words); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	path := saved(t, m)
	if shown, _ := fields(t, "--model", path); !strings.Contains(shown["source words"], `\x1b]0;title\a\u009b2J\u202e`) {
		t.Errorf("source words %q", shown["source words"])
	}
	checkpoint := filepath.Join(dir, "checkpoint"+evil)
	err := safetensors.Save(checkpoint, &safetensors.File{
		Metadata: map[string]string{"format": "softsearch checkpoint" + evil, "updates": evil, "config": evil, "recipe": evil},
		Tensors:  []safetensors.Tensor{{Name: evil, Shape: []int{1}, Data: []float32{1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := safetensors.Save(foreign, &safetensors.File{Metadata: map[string]string{"format": evil}}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, checkpoint, foreign, dir + evil} {
		for _, command := range []string{"info --tensors", "align", "translate"} {
			stdout, stderr, _ := execute("a\n", append(strings.Fields(command), "--model", path)...)
			if command == "translate" || command == "align" {
				stdout = "" // text
			}
			if shown := stdout + stderr; strings.ContainsFunc(shown, func(r rune) bool { return r != '\n' && !strconv.IsGraphic(r) }) {
				t.Errorf("%s --model %q prints\n%q", command, path, shown)
			}
		}
	}
}

// TestInfoParts prints the vocabularies and the codes, and reads them.
func TestInfoParts(t *testing.T) {
	m := tinyModel(t)
	path := saved(t, m)
	for side, v := range map[string]*text.Vocabulary{"source": m.Source, "target": m.Target} {
		stdout, stderr, code := execute("", "info", "--model", path, "--vocabulary", side)
		read, err := text.ReadVocabulary(strings.NewReader(stdout))
		if err != nil || code != 0 || stderr != "" || !slices.Equal(read.Words(), v.Words()) {
			t.Errorf("%s: exit code %d, %s, %v, vocabulary\n%s", side, code, stderr, err, stdout)
		}
		if want := strings.Join(v.Words(), "\n") + "\n"; stdout != want {
			t.Errorf("%s: got\n%swant\n%s", side, stdout, want)
		}
	}
	codes := bpe.Codes{{Left: "t", Right: "h"}, {Left: "th", Right: "e</w>"}}
	var err error
	if m.TargetText, err = pipeline.New(pipeline.Settings{Codes: codes}); err != nil {
		t.Fatal(err)
	}
	const want = "#version: 0.2\nt h\nth e</w>\n"
	if stdout, stderr, code := execute("", "info", "--model", saved(t, m), "--codes"); code != 0 || stdout != want {
		t.Errorf("exit code %d, %s, codes %q, want %q", code, stderr, stdout, want)
	}
	if m.SourceText, err = pipeline.New(pipeline.Settings{Codes: codes[:1]}); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := execute("", "info", "--model", saved(t, m), "--codes"); code != 1 || stdout != "" || !strings.Contains(stderr, "the codes of source and target differ") {
		t.Errorf("different codes: exit code %d, %s, codes %q", code, stderr, stdout)
	}
}

// TestInfoTensors describes the tensors of a model and of its int8 form, and prints parts of the latter.
func TestInfoTensors(t *testing.T) {
	m := tinyModel(t)
	var err error
	if m.SourceText, err = pipeline.New(pipeline.Settings{Codes: bpe.Codes{{Left: "t", Right: "h"}}}); err != nil {
		t.Fatal(err)
	}
	path, int8Path := quantizedFiles(t, m)
	before, list := fields(t, "--model", path, "--tensors")
	after, int8List := fields(t, "--model", int8Path, "--tensors")
	sum := 0.0
	for _, v := range m.Parameters.Target.Float32.Data {
		sum += math.Abs(float64(v))
	}
	if want := fmt.Sprintf("80×8 float32 %.6g", sum/float64(len(m.Parameters.Target.Float32.Data))); !slices.ContainsFunc(list, func(line string) bool {
		return strings.Join(strings.Fields(line), " ") == "target.embedding "+want
	}) {
		t.Errorf("no target.embedding %s in\n%s", want, strings.Join(list, "\n"))
	}
	if len(list) != 43 || len(int8List) != len(list) {
		t.Fatalf("%d and %d tensors, want 43", len(list), len(int8List))
	}
	rows := 0
	slices.Sort(list)
	slices.Sort(int8List)
	for i := range list {
		var name, shape, dtype, int8Name, int8Shape, int8Type string
		var magnitude, int8Magnitude float64
		fmt.Sscan(list[i], &name, &shape, &dtype, &magnitude)
		fmt.Sscan(int8List[i], &int8Name, &int8Shape, &int8Type, &int8Magnitude)
		want := "float32"
		if n, _, matrix := strings.Cut(shape, "×"); matrix {
			k, _ := strconv.Atoi(n)
			want, rows = "int8", rows+k
		}
		if name != int8Name || shape != int8Shape || dtype != "float32" || int8Type != want || !(math.Abs(int8Magnitude-magnitude) <= 0.01*magnitude) {
			t.Errorf("float32: %s\nint8: %s", list[i], int8List[i])
		}
	}
	for name, want := range map[string]string{
		"weights":    "int8 with a scale for each row, vectors float32",
		"parameters": fmt.Sprintf("%s, and %d scales", before["parameters"], rows),
		"size":       fmt.Sprintf("%d bytes", len(content(t, int8Path))),
		"hidden":     before["hidden"], "source words": before["source words"], "source text": before["source text"],
	} {
		if after[name] != want {
			t.Errorf("%s: %q, want %q", name, after[name], want)
		}
	}
	for _, part := range []string{"--vocabulary source", "--vocabulary target", "--codes"} {
		args := append([]string{"info"}, strings.Fields(part)...)
		want, _, _ := execute("", append(args, "--model", path)...)
		if got, stderr, code := execute("", append(args, "--model", int8Path)...); code != 0 || got != want || got == "" {
			t.Errorf("%s: exit code %d %s, got %q, want %q", part, code, stderr, got, want)
		}
	}
}

// TestInfoScales lists tensors that are named like scales, of which only "a.scale" has the type and
// the size to be some.
func TestInfoScales(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	err := safetensors.Save(path, &safetensors.File{
		Metadata: map[string]string{"format": "softsearch checkpoint 1"},
		Tensors: []safetensors.Tensor{
			{Name: "a", Shape: []int{2, 2}, Int8: []int8{1, -3, 5, 0}}, {Name: "a.scale", Shape: []int{2}, Data: []float32{0.5, 2}},
			{Name: "long", Shape: []int{3, 2}, Int8: make([]int8, 6)}, {Name: "long.scale", Shape: []int{4}, Data: make([]float32, 4)},
			{Name: "short", Shape: []int{5, 2}, Int8: make([]int8, 10)}, {Name: "short.scale", Shape: []int{3}, Data: make([]float32, 3)},
			{Name: "cube", Shape: []int{1, 1, 2}, Int8: []int8{1, 2}}, {Name: "cube.scale", Shape: []int{1}, Data: []float32{3}},
			{Name: "flat", Shape: []int{2}, Int8: []int8{1, 2}}, {Name: "flat.scale", Shape: []int{2}, Data: []float32{3, 3}},
			{Name: "scalar", Shape: []int{}, Int8: []int8{-7}}, {Name: "scalar.scale", Shape: []int{}, Data: []float32{4}},
			{Name: "int8", Shape: []int{1, 1}, Int8: []int8{1}}, {Name: "int8.scale", Shape: []int{1}, Int8: []int8{2}},
			{Name: "float", Shape: []int{1, 1}, Data: []float32{1}}, {Name: "float.scale", Shape: []int{1}, Data: []float32{2}},
			{Name: "none", Shape: []int{0, 5}, Int8: []int8{}}, {Name: "narrow", Shape: []int{1, 0}, Int8: []int8{}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, tensors := fields(t, "--model", path, "--tensors")
	if want := "40 in 17 tensors, and 2 scales"; got["parameters"] != want {
		t.Errorf("parameters %s, want %s", got["parameters"], want)
	}
	if len(tensors) != 17 {
		t.Errorf("%d tensors, want 17", len(tensors))
	}
	for _, want := range []string{"a 2×2 int8 3", "long.scale 4 float32 0", "flat 2 int8 1.5", "scalar int8 7", "none 0×5 int8 0"} {
		if !slices.ContainsFunc(tensors, func(line string) bool { return strings.Join(strings.Fields(line), " ") == want }) {
			t.Errorf("no %s in\n%s", want, strings.Join(tensors, "\n"))
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
	l := trainerOf(t, tinyModel(t), pairs, model.Hyperparameters{LabelSmoothing: 0.5})
	if _, err := l.UpdateTimes(t.Context(), 1, quiet("", "", 0)); err != nil {
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

// TestInfoJSON compares the object with the description, for a model, for one of int8 without a language, and
// for a checkpoint.
func TestInfoJSON(t *testing.T) {
	m := plainTextModel(t)
	s := m.SourceText.Settings()
	s.Rules, s.Lowercase, s.Codes = pipeline.Reversible, false, bpe.Codes{{Left: "t", Right: "h"}}
	var err error
	if m.SourceText, err = pipeline.New(s); err != nil {
		t.Fatal(err)
	}
	path, int8Path := quantizedFiles(t, m)
	checkpoint := filepath.Join(t.TempDir(), "m")
	pairs, _ := grammar.Pairs(1, 20, 0)
	if err := trainerOf(t, tinyModel(t), pairs, model.Hyperparameters{LabelSmoothing: 0.5}).Save(checkpoint, ""); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, int8Path, checkpoint} {
		want, tensors := fields(t, "--model", path, "--tensors")
		stdout, stderr, code := execute("", "info", "--model", path, "--tensors", "--json")
		var got map[string]any
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || strings.Count(stdout, "\n") != 1 {
			t.Fatalf("%s: exit code %d, %v, %s, %s", path, code, err, stdout, stderr)
		}
		for name, value := range map[string]any{
			"size": fmt.Sprintf("%.0f bytes", got["bytes"]), "checksum": fmt.Sprintf("sha256 %s", got["sha256"]),
			"format": fmt.Sprintf("safetensors, %s", got["format"]),
		} {
			if value != want[name] {
				t.Errorf("%s: %s %v, want %s", path, name, value, want[name])
			}
		}
		if parameters := fmt.Sprintf("%.0f in %.0f tensors", got["parameters"], got["tensor_count"]); !strings.HasPrefix(want["parameters"], parameters) {
			t.Errorf("%s: parameters %s, want %s", path, parameters, want["parameters"])
		}
		if list := got["tensors"].([]any); len(list) != len(tensors) || !strings.HasPrefix(tensors[0], list[0].(map[string]any)["name"].(string)+" ") {
			t.Errorf("%s: tensors %v, want\n%s", path, list, tensors)
		}
		switch path {
		case checkpoint:
			if got["file"] != "checkpoint" || got["updates"] != 0.0 || got["recipe"].(map[string]any)["label_smoothing"] != 0.5 || got["kind"] != nil {
				t.Errorf("checkpoint: %s", stdout)
			}
			continue
		case int8Path:
			if got["weights"] != "int8" || got["scales"] == 0.0 {
				t.Errorf("int8: %s", stdout)
			}
		}
		if got["file"] != "model" || got["kind"] != "search" || got["hidden"] != 16.0 || got["alignment_model"] != "additive" {
			t.Errorf("%s: %s", path, stdout)
		}
		source := map[string]any{
			"size": 80.0, "language": "en", "tokenizer": "reversible", "lowercase": false, "merges": 1.0,
			"words": got["source"].(map[string]any)["words"],
		}
		if words := source["words"].([]any); !reflect.DeepEqual(got["source"], source) || len(words) != 10 || words[9] != m.Source.Word(9) {
			t.Errorf("%s: source %v, want %v", path, got["source"], source)
		}
	}
}
