package report

import (
	"math"
	"slices"
	"strings"
	"testing"
)

const sample = `cpu: Some CPU
processor: 1

# skipped torch: not there
BenchmarkTanh/impl=softsearch-avx2/n=1024 10 100 ns/op
BenchmarkTanh/impl=tphakala-avx2/n=1024 10 150 ns/op
BenchmarkTanh/impl=softsearch-avx2/n=1024 10 300 ns/op
BenchmarkTanh/impl=tphakala-avx2/n=1024 10 330 ns/op
BenchmarkTanh/impl=softsearch-avx2/n=1024 10 200 ns/op
BenchmarkTanh/impl=tphakala-avx2/n=1024 10 400 ns/op
BenchmarkGemv/impl=softsearch-avx2/rows=256/cols=256 7 10.5 ns/op
BenchmarkGemv/impl=openblas-haswell/rows=256/cols=256 7 21 ns/op
BenchmarkGemv/impl=openblas-haswell-transposed/rows=256/cols=256 7 17.5 ns/op
`

func parse(t *testing.T, text string) *Results {
	t.Helper()
	r, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	r := parse(t, sample)
	const tanh, gemv = "Tanh/n=1024", "Gemv/rows=256/cols=256"
	if !slices.Equal(r.Cases, []string{tanh, gemv}) {
		t.Errorf("cases %v", r.Cases)
	}
	if r.Fact("cpu") != "Some CPU" || r.Fact("torch") != "" {
		t.Errorf("facts %q", r.facts)
	}
	for name, test := range map[string]struct{ got, want float64 }{
		"median time":        {r.Time(tanh, "softsearch-avx2"), 200},
		"ratio by round":     {r.Ratio(tanh, "tphakala-avx2", "softsearch-avx2"), 1.5},
		"time of one round":  {r.Time(gemv, "softsearch-avx2"), 10.5},
		"ratio of one round": {r.Ratio(gemv, "openblas-haswell", "softsearch-avx2"), 2},
	} {
		if test.got != test.want {
			t.Errorf("%s: %g, want %g", name, test.got, test.want)
		}
	}
	if !math.IsNaN(r.Time(gemv, "none")) || !math.IsNaN(r.Ratio(gemv, "none", "softsearch-avx2")) {
		t.Error("a contender without results has figures")
	}
}

func TestLine(t *testing.T) {
	const name = "Gemm/batch=2/rows=3/cols=4"
	line := Line(name, "naive", 12, 1234.5678)
	if want := "BenchmarkGemm/impl=naive/batch=2/rows=3/cols=4 12 1234.6 ns/op"; line != want {
		t.Errorf("line %q, want %q", line, want)
	}
	if got := parse(t, line).Time(name, "naive"); got != 1234.6 {
		t.Errorf("time read back %g", got)
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"", "cpu: x", "words", "BenchmarkTanh/n=1 1 1 ns/op", "BenchmarkTanh/impl= 1 1 ns/op", "BenchmarkTanh/impl=a/n 1 1 ns/op",
		"BenchmarkTanh/impl=a/n=1 1 0 ns/op", "BenchmarkTanh/impl=a/n=1 1 x ns/op",
		"BenchmarkTanh/impl=a/n=1 1 1 s/op", "BenchmarkTanh/impl=a/n=1 1",
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil {
			t.Errorf("Parse(%q): no error", text)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		x    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := median(test.x); got != test.want {
			t.Errorf("median(%g) = %g, want %g", test.x, got, test.want)
		}
	}
}

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.12345: "0.123", 1: "1.00", 9.999: "10.0", 12.34: "12.3", 99.96: "100", 123.4: "123", 1234: "1230",
		0.001236: "0.00124", -5.678: "-5.68", math.NaN(): "",
	} {
		if got := figure(v, ""); got != want {
			t.Errorf("figure(%g) = %q, want %q", v, got, want)
		}
	}
}

// TestModelTable: Go benchmarks, with their number of processors and other metrics, become rows in
// milliseconds or sentences per second.
func TestModelTable(t *testing.T) {
	r := parse(t, `goos: linux
pkg: example.org/bench
# a comment
BenchmarkDecoderStep/impl=naive/sizes=small/threads=1/batch=1-2 10 12000000 ns/op 4.9 GFLOP/s 0 B/op 0 allocs/op
BenchmarkDecoderStep/impl=avx2/weights=float32/sizes=small/threads=1/batch=1-2 10 1000000 ns/op 4.9 GFLOP/s 0 B/op 0 allocs/op
BenchmarkDecoderStep/impl=avx2/weights=float32/sizes=small/threads=1/batch=1-2 10 3000000 ns/op 4.9 GFLOP/s 0 B/op 0 allocs/op
BenchmarkDecoderStep/impl=avx2/weights=float32/sizes=paper/threads=2/batch=12-2 10 3000000 ns/op
BenchmarkDecoderStep/impl=avx2/weights=int8/sizes=paper/threads=2/batch=12-2 10 1000000 ns/op
BenchmarkTrainingUpdate/impl=avx512/sizes=paper/threads=2-2 1 4000000000 ns/op 20 sentences/s 0 B/op 0 allocs/op
BenchmarkTrainingUpdate/impl=avx512/sizes=small/threads=1/dropout=0.2-2 1 4000000000 ns/op 20 sentences/s 0 B/op 0 allocs/op
PASS
ok  	example.org/bench	12.3s
`)
	const want = `| | plain Go | AVX2 | AVX-512 | against plain Go |
| --- | --- | --- | --- | --- |
| decoder step, small sizes, 1 hypothesis | 12.0 ms | 2.00 ms | | 6.00 × |
| decoder step, the paper's sizes, 2 threads, 12 hypotheses | | 3.00 ms | | |
| training update, the paper's sizes, 2 threads | | | 20.0 sentences/s | |
`
	if _, got, _ := strings.Cut(Tables["model"](r), "\n\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := r.Time("DecoderStep/sizes=paper/threads=2/batch=12", "softsearch-avx2-int8"); got != 1e6 {
		t.Errorf("a step with weights of int8 takes %g ns", got)
	}
}

// TestKernelsTable: a column for each opponent with results, the faster Gemv of OpenBLAS, and small
// times in microseconds.
func TestKernelsTable(t *testing.T) {
	const want = `| | AVX2 | OpenBLAS | tphakala |
| --- | --- | --- | --- |
| tanh of 1024 | 0.200 µs | | 1.50 × |
| matrix–vector product, 256×256 | 0.0105 µs | 1.67 × | |
`
	if _, got, _ := strings.Cut(Tables["kernels"](parse(t, sample)), "\n\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestStepTable: a decoder step has times for both types of weights, and how many times as long
// float32 and PyTorch take.
func TestStepTable(t *testing.T) {
	const shape = "/batch=12/source=25/units=256/vocabulary=8000/embedding=256/maxout=256 1 "
	text := ""
	for impl, ns := range map[string]string{
		"softsearch-avx512": "6e6", "softsearch-avx512-int8": "2e6", "softsearch-avxvnni": "8e6", "softsearch-avxvnni-int8": "3.2e6",
		"torch": "16e6", "torch-int8": "8e6", "naive": "60e6",
	} {
		text += "BenchmarkDecoderStep/impl=" + impl + shape + ns + " ns/op\n"
	}
	const want = `| | AVX-512 | AVX-VNNI | PyTorch | plain Go | int8 against float32 | with AVX-VNNI | float32 against PyTorch's | int8 against PyTorch's |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| decoder step, 12 hypotheses, small sizes | 6.00 / 2.00 | 8.00 / 3.20 | 16.0 / 8.00 | 60.0 | 3.00 × | 2.50 × | 2.67 × | 4.00 × |
`
	if _, got, _ := strings.Cut(Tables["step"](parse(t, text)), "\n\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTrainingTable: ratios are those of a round, and PyTorch's faster precision is chosen by its median.
func TestTrainingTable(t *testing.T) {
	const shape = "/batch=80/source=25/units=1000/vocabulary=30000/embedding=620/maxout=500/threads=2 1 "
	text := ""
	for _, factor := range []string{"e8", "e9", "e9"} {
		for impl, ns := range map[string]string{
			"softsearch-avx512": "32", "softsearch-avx512-bf16": "16", "torch": "40", "torch-bf16": "80",
		} {
			text += "BenchmarkTrainingUpdate/impl=" + impl + shape + ns + factor + " ns/op\n"
		}
	}
	const want = `| | AVX-512 | PyTorch | bf16 against float32 | float32 against PyTorch's | bf16 against PyTorch's faster |
| --- | --- | --- | --- | --- | --- |
| training update, the paper's sizes, 2 threads | 2.50 / 5.00 | 2.00 / 1.00 | 2.00 × | 1.25 × | 2.50 × |
`
	r := parse(t, "cpu: Some CPU\nghz: 3.5\n"+text)
	if _, got, _ := strings.Cut(Tables["training"](r), "\n\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := machine(r); !strings.Contains(got, ", 3.5 GHz") {
		t.Errorf("machine of two threads: %q", got)
	}
}

// TestTranslateTable: a row for each search, without figures for an implementation that was not measured.
func TestTranslateTable(t *testing.T) {
	const name, rest = "BenchmarkTranslate/impl=", "/threads=1-2 10 %s ns/op 1 sentences/s 0 B/op 0 allocs/op\n"
	text := "pkg: example.org/bench\n"
	for _, benchmark := range [][2]string{
		{"avx512/weights=float32/sizes=captions/beam=1/batch=32", "640000000"},
		{"avx512/weights=int8/sizes=captions/beam=1/batch=32", "160000000"},
		{"avx2/weights=float32/sizes=captions/beam=1/batch=32", "320000000"},
		{"avx2/weights=int8/sizes=captions/beam=1/batch=32", "128000000"},
		{"avxvnni/weights=float32/sizes=captions/beam=1/batch=32", "320000000"},
		{"avxvnni/weights=int8/sizes=captions/beam=1/batch=32", "80000000"},
		{"avx512/weights=float32/sizes=captions/beam=12/batch=8", "6400000000"},
		{"avx512/weights=int8/sizes=captions/beam=12/batch=8", "3200000000"},
	} {
		text += name + benchmark[0] + strings.Replace(rest, "%s", benchmark[1], 1)
	}
	const want = `| | AVX-512 | AVX-VNNI | AVX2 | AVX-512, int8 against float32 | AVX-VNNI, int8 against float32 | AVX2, int8 against float32 |
| --- | --- | --- | --- | --- | --- | --- |
| greedy, batch of 32 | 100 / 400 | 200 / 800 | 200 / 500 | 4.00 × | 4.00 × | 2.50 × |
| beam 12, batch of 8 | 10.0 / 20.0 | | | 2.00 × | | |
`
	if _, got, _ := strings.Cut(Tables["translate"](parse(t, text)), "\n\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestAll: everything that was measured, against the same instruction set.
func TestAll(t *testing.T) {
	const want = `Some CPU.

## Tanh

| | softsearch-avx2 | tphakala-avx2 |
| --- | --- | --- |
| tanh of 1024 | 0.200 µs | 0.330 µs (1.50 ×) |

## Gemv

| | softsearch-avx2 | openblas-haswell | openblas-haswell-transposed |
| --- | --- | --- | --- |
| matrix–vector product, 256×256 | 0.0105 µs | 0.0210 µs (2.00 ×) | 0.0175 µs (1.67 ×) |
`
	if got := All(parse(t, sample)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMachine(t *testing.T) {
	const facts = "cpu: A\ncaches: L1 32K\nos: Linux\ngo: go1\ndate: today\nghz: 3.5\ngonum: v1\n" +
		"openblas-haswell: OpenBLAS 0.3 X\nopenblas-zen: OpenBLAS 0.3 Y\ntphakala: v2\n"
	const want = "A (L1 32K), one thread at 3.5 GHz, Linux, go1, today. Gonum v1, OpenBLAS 0.3, tphakala v2.\n"
	if got := machine(parse(t, facts+"BenchmarkTanh/impl=naive/n=1 1 1 ns/op")); got != want {
		t.Errorf("machine: %q, want %q", got, want)
	}
}

// TestTables: every table is there and ends its last line.
func TestTables(t *testing.T) {
	r := parse(t, sample)
	for name, table := range Tables {
		if text := table(r); !strings.HasSuffix(text, "\n") {
			t.Errorf("table %s: %q", name, text)
		}
	}
}
