package main

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
)

// TestMain lets this binary be the workers that the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(run(os.Args[1:], os.Stderr))
	}
	os.Exit(m.Run())
}

func command(t *testing.T, want int, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	if got := run(args, &stderr); got != want {
		t.Errorf("%q: exit code %d, want %d: %s", args, got, want, stderr.String())
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
	for _, want := range []string{"BenchmarkSoftmax/impl=naive/n=50 ", "/impl=softsearch-go/"} {
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
	args := []string{"measure", "-o", output, "-rounds", "1", "-slice", "1us", "-set", "updates", "-run", "units=256", "-python", "/nonexistent"}
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
		if !strings.HasSuffix(c, fmt.Sprintf("/threads=%d", i+1)) || math.IsNaN(r.Time(c, best)) || math.IsNaN(r.Time(c, best+"-bf16")) {
			t.Errorf("case %d: %s lacks %s in float32 or bf16", i, c, best)
		}
	}
	if len(r.Cases) != 2 {
		t.Errorf("%d cases, want 2", len(r.Cases))
	}
}

func TestSelected(t *testing.T) {
	cases, err := selected("kernels", "^Gemv/rows=(256|512)/")
	var names []string
	for _, c := range cases {
		names = append(names, c.String())
	}
	if want := []string{"Gemv/rows=256/cols=256", "Gemv/rows=512/cols=512"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("cases %q, %v, want %q", names, err, want)
	}
	for _, test := range [][2]string{{"kernels", "("}, {"kernels", "none"}, {"kernels", "DecoderStep"}, {"none", ""}} {
		if _, err := selected(test[0], test[1]); err == nil {
			t.Errorf("selected(%q): no error", test)
		}
	}
}

// TestSets: the sets of a file of results have the cases of that file, and quick has every operation.
func TestSets(t *testing.T) {
	for name, s := range sets {
		cases, err := selected(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if name == "quick" {
			if got, want := operations(cases), operations(suite.All()); !slices.Equal(got, want) {
				t.Errorf("set quick: operations %q, want %q", got, want)
			}
			continue
		}
		r, err := readResults(filepath.Join("..", "results", s.file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range cases {
			names = append(names, c.String())
		}
		measured := slices.DeleteFunc(r.Cases, func(c string) bool { return strings.HasPrefix(c, "Scores/") })
		if !slices.Equal(names, measured) {
			t.Errorf("set %s: cases %q, the results have %q", name, names, r.Cases)
		}
	}
}

func operations(cases []suite.Case) []string {
	var list []string
	for _, c := range cases {
		list = append(list, c.Op)
	}
	return slices.Compact(list)
}

func TestTables(t *testing.T) {
	folder := t.TempDir()
	readme, results := filepath.Join(folder, "page"), filepath.Join(folder, "peers.txt")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(readme, "before\n<!-- peers:kernels -->\n<!-- /peers -->\nafter\n")
	write(results, "BenchmarkGemv/impl=softsearch-avx2/rows=256/cols=256 1 10 ns/op\n")
	args := []string{"tables", "-documents", readme, "-results", folder}
	if text := command(t, 1, append(args, "-check")...); !strings.Contains(text, "is not what the results give") {
		t.Errorf("-check says %q", text)
	}
	if text := command(t, 0, args...); text != "" {
		t.Errorf("tables prints %q", text)
	}
	command(t, 0, append(args, "-check")...)
	text, err := os.ReadFile(readme)
	if want := "before\n<!-- peers:kernels -->\n.\n\n| | AVX2 |\n| --- | --- |\n| matrix–vector product, 256×256 | 0.0100 µs |\n<!-- /peers -->\nafter\n"; err != nil || string(text) != want {
		t.Errorf("document %q, %v, want %q", text, err, want)
	}
}

func TestCommandLine(t *testing.T) {
	const want = `./bench/peers measure -python 'it'\''s' -run '^(Gemv|Exp)/'`
	for _, output := range [][]string{nil, {"-o", "file"}, {"--o", "file"}, {"-o=file"}} {
		args := append(append([]string{"-run", "^(Gemv|Exp)/"}, output...), "-python", "it's")
		f := flag.NewFlagSet("measure", flag.ContinueOnError)
		for _, name := range []string{"run", "o", "python", "set"} {
			f.String(name, "", "")
		}
		if err := f.Parse(args); err != nil {
			t.Fatal(err)
		}
		if got := commandLine(f); !strings.HasSuffix(got, want) {
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
}
