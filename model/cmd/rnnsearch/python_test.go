package main

import (
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

// pythonWith returns an interpreter that has the module, "" if there is none.
func pythonWith(module string) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+module).Run() == nil {
			return name
		}
	}
	return ""
}

// runPython returns what the program prints in the folder of the scripts.
func runPython(t *testing.T, interpreter string, args ...string) string {
	t.Helper()
	c := exec.Command(interpreter, args...)
	c.Dir = filepath.Join("..", "..", "python")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestPythonModelFile reads models with numpy alone, writes them again, and opens the result.
func TestPythonModelFile(t *testing.T) {
	t.Parallel()
	interpreter := pythonWith("numpy")
	if interpreter == "" {
		t.Skip("no Python with numpy")
	}
	const rewrite = `
import sys, modelfile
tensors, m = modelfile.read(sys.argv[1])
more = {key: m[key] for key in ("source_text", "target_text", "longest_source") if key in m}
modelfile.write(sys.argv[2], tensors, m["source_vocabulary"], m["target_vocabulary"], m["config"]["order"], **more)
`
	small := filepath.Join("..", "..", "decode", "testdata", "en-fr.safetensors")
	paths := []string{small, saved(t, withoutAttention(t))}
	if fixture.Full() {
		paths = append(paths, filepath.Join("..", "builtin", "en-fr.safetensors"))
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := model.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		again := filepath.Join(t.TempDir(), "again")
		runPython(t, interpreter, "-c", rewrite, path, again)
		got, err := model.Open(again)
		if err != nil {
			t.Fatal(err)
		}
		config := want.Config
		config.Weights = model.Float32
		if config.Kind == model.RNNencdec {
			config.Alignment = config.Hidden // unused
		}
		if got.Config != config || !slices.Equal(got.Source.Words(), want.Source.Words()) || !slices.Equal(got.Target.Words(), want.Target.Words()) ||
			!got.SourceText.Equal(want.SourceText) || !got.TargetText.Equal(want.TargetText) || got.LongestSource != want.LongestSource {
			t.Errorf("%s: got %+v, want %+v", path, got, want)
		}
		if want.Config.Weights == model.Float32 && !slices.Equal(got.Parameters.Values, want.Parameters.Values) {
			t.Errorf("%s: other weights", path)
		}
	}
}

// TestPythonScores compares the scores of a model that PyTorch has trained, and of one that train has,
// with those that PyTorch computes in float64.
func TestPythonScores(t *testing.T) {
	t.Parallel()
	if !fixture.Full() {
		t.Skip("imports torch, in full tests")
	}
	interpreter := pythonWith("torch")
	if interpreter == "" {
		t.Skip("no Python with torch")
	}
	source := write(t, "source", "the cat sleeps in the garden", "the dog", "the cat eats in the house", "a dog in the garden sleeps")
	target := write(t, "target", "le chat dort dans le jardin", "le chien", "le chat mange dans la maison", "un chien\u00a0: dort")
	trained := filepath.Join(t.TempDir(), "model")
	runPython(t, interpreter, "rnnsearch.py", "train", source, target, trained, "10", "3")
	small, err := filepath.Abs(filepath.Join("..", "..", "decode", "testdata", "en-fr.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{trained, small} {
		rows, _ := scored(t, "--model", path, "--source", source, "--target", target)
		lines := strings.Split(strings.TrimSpace(runPython(t, interpreter, "rnnsearch.py", "score", source, target, path)), "\n")
		if len(rows) != 4 || len(lines) != 4 {
			t.Fatalf("%s: %d scores, %d of PyTorch", path, len(rows), len(lines))
		}
		for i, line := range lines {
			logP, words, _ := strings.Cut(line, "\t")
			want, err := strconv.ParseFloat(logP, 64)
			got, gotErr := strconv.ParseFloat(rows[i][0], 64)
			if err != nil || gotErr != nil || math.Abs(got-want) > 1e-5*max(1, math.Abs(want)) || rows[i][1] != words {
				t.Errorf("%s, pair %d: score %q, want %s", path, i, rows[i], line)
			}
		}
	}
}
