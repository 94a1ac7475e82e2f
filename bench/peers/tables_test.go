package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfig prints what measure.sh writes of OpenBLAS.
func TestConfig(t *testing.T) {
	core, config := openBLAS()
	t.Log(core, config)
}

// TestDocuments shows that the documents hold the tables.
func TestDocuments(t *testing.T) {
	for _, document := range []string{"README.md", "bench/README.md", "bench/results/machines.md"} {
		if err := rewrite(filepath.Join("..", "..", document), filepath.Join("..", "results"), true); err != nil {
			t.Error(err)
		}
	}
}

func TestTables(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const rounds = `BenchmarkDecoderStep/impl=avx512/weights=float32/sizes=small/threads=1/batch=1 9 2e+06 ns/op
BenchmarkDecoderStep/impl=avx512/weights=int8/sizes=small/threads=1/batch=1 9 1e+06 ns/op
BenchmarkDecoderStep/impl=avx2/weights=float32/sizes=small/threads=1/batch=1 9 3e+06 ns/op
BenchmarkDecoderStep/impl=torch/weights=float32/sizes=small/threads=1/batch=1 9 4e+06 ns/op
BenchmarkDecoderStep/impl=avx512/weights=float32/sizes=small/threads=1/batch=1-2 9 1e+06 ns/op 3 GB/s
BenchmarkDecoderStep/impl=torch/weights=float32/sizes=small/threads=1/batch=1 9 9e+06 ns/op
BenchmarkDecoderStep/impl=naive/weights=float32/sizes=paper/threads=1/batch=12 9 12345678 ns/op
`
	for name, test := range map[string]struct{ facts, want string }{
		"rounds": {"cpu: X\ncaches: L1\nghz: 3.5\nos: Y\ngo: go1\ndate: 2026-01-01\ntorch: 1.13\nopenblas-zen: OpenBLAS 0.3 Zen\nopenblas-haswell: OpenBLAS 0.3 Haswell\n",
			`X (L1), one thread at 3.5 GHz, Y, go1, 2026-01-01. PyTorch 1.13, OpenBLAS 0.3.

| | AVX-512 | AVX2 | PyTorch | plain Go | int8 against float32 | float32 against PyTorch's |
| --- | --- | --- | --- | --- | --- | --- |
| decoder step, small sizes, 1 hypothesis | 1.50 / 1.00 | 3.00 | 6.50 | | 2.00 × | 5.50 × |
| decoder step, the paper's sizes, 12 hypotheses | | | | 12.3 | | |
`},
		"go test": {"pkg: p\ncpu: X\n", `X.

| | AVX-512 | AVX2 | PyTorch | plain Go | int8 against float32 | float32 against PyTorch's |
| --- | --- | --- | --- | --- | --- | --- |
| decoder step, small sizes, 1 hypothesis | 1.50 / 1.00 | 3.00 | 6.50 | | 1.50 × | 4.33 × |
| decoder step, the paper's sizes, 12 hypotheses | | | | 12.3 | | |
`},
	} {
		write("peers.txt", test.facts+rounds)
		page := write("page.md", "a\n<!-- peers:step -->\nold\n<!-- /peers -->\nb\n")
		if err := rewrite(page, folder, true); err == nil {
			t.Errorf("%s: an old table passes", name)
		}
		if err := rewrite(page, folder, false); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(page)
		if want := "a\n<!-- peers:step -->\n" + test.want + "<!-- /peers -->\nb\n"; err != nil || string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	for content, want := range map[string]string{
		"": "no results", "BenchmarkGemv 1 2 ns/op\n": "not a benchmark", "BenchmarkGemv/impl=go/n=1 1 -2 ns/op\n": "not a positive time",
	} {
		if _, err := read(write("bad.txt", content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
	if err := rewrite(write("page.md", "<!-- peers:none -->\n<!-- /peers -->\n"), folder, true); err == nil {
		t.Error("an unknown table passes")
	}
}

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{9.996: "10.0 x", 0.12345: "0.123 x", 99.96: "100 x", 12345: "12300 x", 0: "0.00 x"} {
		if got := figure(v, " x"); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}
