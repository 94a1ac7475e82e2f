package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/bench/peers/bounds"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// TestMain lets this binary be the workers that the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func command(t *testing.T, want int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(args, &stdout, &stderr); got != want {
		t.Errorf("%q: exit code %d, want %d: %s", args, got, want, stderr.String())
	}
	if stdout.Len() > 0 {
		t.Errorf("%q: printed %q", args, stdout.String())
	}
	return stderr.String()
}

func TestMeasure(t *testing.T) {
	output := filepath.Join(t.TempDir(), "peers.txt")
	command(t, 0, "measure", "-o", output, "-rounds", "3", "-slice", "10us", "-run", "Softmax/n=50", "-python", "/nonexistent")
	r, err := readResults(output)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BenchmarkSoftmax/impl=naive/n=50 ", "/impl=softsearch-go/", "/impl=cycle/"} {
		if got := strings.Count(string(text), want); got != 3 {
			t.Errorf("%d lines with %q, want 3:\n%s", got, want, text)
		}
	}
	for _, key := range []string{"date", "cpu", "caches", "cpus", "os", "go", "command", "processor", "ghz"} {
		if r.Fact(key) == "" {
			t.Errorf("no fact %s", key)
		}
	}
	if !strings.Contains(string(text), "\n# skipped torch: ") {
		t.Errorf("results do not say that PyTorch is not there:\n%s", text)
	}
}

// TestMeasureThreads: cases of one thread and of two have both precisions, measured by workers of their own.
func TestMeasureThreads(t *testing.T) {
	output := filepath.Join(t.TempDir(), "update.txt")
	args := []string{"measure", "-o", output, "-rounds", "1", "-slice", "1us", "-run", "TrainingUpdate/.*units=256", "-python", "/nonexistent"}
	if runtime.NumCPU() < 2 {
		if text := command(t, 1, args...); !strings.Contains(text, "run on 2 processors") {
			t.Errorf("on one processor: %q", text)
		}
		return
	}
	command(t, 0, args...)
	r, err := readResults(output)
	if err != nil {
		t.Fatal(err)
	}
	best := "softsearch-" + kernels.Best().String()
	for i, c := range r.Cases {
		if c.Threads != i+1 || math.IsNaN(r.Time(c, best)) || math.IsNaN(r.Time(c, best+"-bf16")) {
			t.Errorf("case %d: %s lacks %s in float32 or bf16", i, c, best)
		}
	}
	if len(r.Cases) != 2 {
		t.Errorf("%d cases, want 2", len(r.Cases))
	}
}

func TestSelected(t *testing.T) {
	cases, err := selected("^Gemv/rows=(256|512)/")
	var names []string
	for _, c := range cases {
		names = append(names, c.String())
	}
	if want := []string{"Gemv/rows=256/cols=256", "Gemv/rows=512/cols=512"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("cases %q, %v, want %q", names, err, want)
	}
	for _, pattern := range []string{"(", "none"} {
		if _, err := selected(pattern); err == nil {
			t.Errorf("selected(%q): no error", pattern)
		}
	}
}

func TestTables(t *testing.T) {
	folder := t.TempDir()
	readme, results := filepath.Join(folder, "README.md"), filepath.Join(folder, "peers.txt")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(readme, "before\n<!-- peers:gemv -->\n<!-- /peers -->\nafter\n")
	write(results, "BenchmarkGemv/impl=softsearch-avx2/rows=10/cols=25 1 10 ns/op\n")
	args := []string{"tables", "-documents", readme, "-i", results}
	if text := command(t, 1, append(args, "-check")...); !strings.Contains(text, "is not what the results give") {
		t.Errorf("-check says %q", text)
	}
	if text := command(t, 0, args...); text != "" {
		t.Errorf("tables prints %q", text)
	}
	command(t, 0, append(args, "-check")...)
	text, err := os.ReadFile(readme)
	if want := "before\n<!-- peers:gemv -->\n| | AVX2 |\n| --- | --- |\n| 10×25 | 100 |\n<!-- /peers -->\nafter\n"; err != nil || string(text) != want {
		t.Errorf("document %q, %v, want %q", text, err, want)
	}
}

// TestBreakdown measures the smallest work and makes a document and a picture of it.
func TestBreakdown(t *testing.T) {
	if _, ok := bounds.For(""); !ok {
		t.Skip("without cgo or AVX2 there are no bounds")
	}
	folder := t.TempDir()
	readme, results := filepath.Join(folder, "README.md"), filepath.Join(folder, "breakdown.txt")
	var stdout, stderr bytes.Buffer
	args := []string{"breakdown", "-o", results, "-time", "500ms", "-threads", "1", "-run", "step/sizes=small/.*int8"}
	if code := run(args, &stdout, &stderr); code != 0 || !strings.HasPrefix(stdout.String(), "decoder step, small sizes, int8, 1 thread, ") {
		t.Fatalf("exit code %d: %s%s", code, stdout.String(), stderr.String())
	}
	r, err := readResults(results)
	if err != nil || len(r.Works) != 1 || r.Works[0].Weights != model.Int8 || r.Fact("cpu") == "" || !strings.Contains(r.Fact("command"), "./bench/peers breakdown") {
		t.Fatalf("results %+v, %v", r, err)
	}
	if err := os.WriteFile(readme, []byte("<!-- peers:breakdown "+results+" -->\n<!-- /peers -->\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tables := []string{"tables", "-documents", readme}
	command(t, 0, tables...)
	command(t, 0, append(tables, "-check")...)
	picture := filepath.Join(folder, "breakdown.svg")
	if err := os.WriteFile(picture, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if text := command(t, 1, append(tables, "-check")...); !strings.Contains(text, picture) {
		t.Errorf("-check says %q", text)
	}
}

func TestCommandLine(t *testing.T) {
	const want = `./bench/peers measure -run '^(Gemv|Exp)/' -python 'it'\''s'`
	for _, output := range [][]string{nil, {"-o", "file"}, {"--o", "file"}, {"-o=file"}} {
		args := append(append([]string{"-run", "^(Gemv|Exp)/"}, output...), "-python", "it's")
		if got := commandLine("measure", args); !strings.HasSuffix(got, want) {
			t.Errorf("command line of %q: %q, want one that ends with %q", args, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	command(t, 2)
	command(t, 2, "other")
	command(t, 0, "tables", "-h")
	command(t, 1, "tables", "more")
	command(t, 1, "measure", "-rounds", "0")
	command(t, 1, "worker")
	command(t, 1, "worker", "other")
	command(t, 1, "breakdown", "-threads", "1,0")
	command(t, 1, "breakdown", "-time", "0s")
	command(t, 1, "breakdown", "-run", "none")
}
