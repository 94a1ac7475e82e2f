package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

const sample = `cpu: Some CPU
processor: 1

# skipped torch: not there
BenchmarkTanh/impl=softsearch-avx2/n=100 10 100 ns/op
BenchmarkTanh/impl=tphakala-avx2/n=100 10 150 ns/op
BenchmarkTanh/impl=cycle/n=100 10 1 ns/op
BenchmarkTanh/impl=softsearch-avx2/n=100 10 300 ns/op
BenchmarkTanh/impl=tphakala-avx2/n=100 10 330 ns/op
BenchmarkTanh/impl=cycle/n=100 10 2 ns/op
BenchmarkTanh/impl=softsearch-avx2/n=100 10 200 ns/op
BenchmarkTanh/impl=tphakala-avx2/n=100 10 400 ns/op
BenchmarkTanh/impl=cycle/n=100 10 1 ns/op
BenchmarkGemv/impl=softsearch-avx2/rows=10/cols=25 7 10.5 ns/op
BenchmarkGemv/impl=openblas-haswell/rows=10/cols=25 7 21 ns/op
BenchmarkGemv/impl=openblas-haswell-transposed/rows=10/cols=25 7 17.5 ns/op
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
	tanh, gemv := suite.Case{Op: "Tanh", N: 100}, suite.Case{Op: "Gemv", Rows: 10, Cols: 25}
	if !slices.Equal(r.Cases, []suite.Case{tanh, gemv}) {
		t.Errorf("cases %v", r.Cases)
	}
	if r.Fact("cpu") != "Some CPU" || r.Fact("torch") != "" {
		t.Errorf("facts %q", r.Facts)
	}
	for name, test := range map[string]struct{ got, want float64 }{
		"median time":        {r.Time(tanh, "softsearch-avx2"), 200},
		"ratio by round":     {r.Ratio(tanh, "tphakala-avx2", "softsearch-avx2"), 1.5},
		"cycles by round":    {r.Cycles(tanh, "softsearch-avx2"), 450},
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
	c := suite.Case{Op: "Gemm", Batch: 2, Rows: 3, Cols: 4}
	line := Line(c, "naive", 12, 1234.5678)
	if want := "BenchmarkGemm/impl=naive/batch=2/rows=3/cols=4 12 1234.6 ns/op"; line != want {
		t.Errorf("line %q, want %q", line, want)
	}
	if got := parse(t, line).Time(c, "naive"); got != 1234.6 {
		t.Errorf("time read back %g", got)
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"", "cpu: x", "words", "BenchmarkTanh/n=1 1 1 ns/op", "BenchmarkTanh/impl=a 1 1 ns/op",
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
		if got := Median(test.x); got != test.want {
			t.Errorf("Median(%g) = %g, want %g", test.x, got, test.want)
		}
	}
}

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.12345: "0.123", 1: "1.00", 9.999: "10.0", 12.34: "12.3", 99.96: "100", 123.4: "123", 1234: "1230",
		0.001236: "0.00124", -5.678: "-5.68", math.NaN(): "",
	} {
		if got := figure(v); got != want {
			t.Errorf("figure(%g) = %q, want %q", v, got, want)
		}
	}
}

// TestModelTable: Go benchmarks, with their number of processors and other metrics, become rows in
// milliseconds or sentences per second. A row without a measured implementation is left out.
func TestModelTable(t *testing.T) {
	r := parse(t, `goos: linux
# a comment
BenchmarkGRU/impl=naive/hidden=256/batch=80-2 10 12000000 ns/op 4.9 GFLOP/s 0 B/op 0 allocs/op
BenchmarkGRU/impl=avx2/hidden=256/batch=80-2 10 1000000 ns/op 4.9 GFLOP/s 0 B/op 0 allocs/op
BenchmarkGRU/impl=avx2/hidden=256/batch=80-2 10 3000000 ns/op 4.9 GFLOP/s 0 B/op 0 allocs/op
BenchmarkTrainingUpdate/impl=avx512/sizes=paper/threads=2-2 1 4000000000 ns/op 20 sentences/s 0 B/op 0 allocs/op
BenchmarkGRU/impl=naive/hidden=1000/batch=1-2 10 12000000 ns/op 4.9 GFLOP/s 0 B/op 0 allocs/op
PASS
ok  	example.org/bench	12.3s
`)
	const want = `| | naive Go | AVX2 | AVX-512 | fastest against naive |
| --- | --- | --- | --- | --- |
| GRU step, 256 units, 80 rows | 12.0 ms | 2.00 ms | | 6.00 × |
| training update, the paper's sizes, 2 threads | | | 20.0 sentences/s | |
`
	if got := modelTable(r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestStepTables: a decoder step has times for both types of weights, and how many times as long
// float32 takes.
func TestStepTables(t *testing.T) {
	const shape = "/batch=12/source=25/units=256/vocabulary=8000/embedding=256/maxout=256 1 "
	text := ""
	for impl, ns := range map[string]string{
		"softsearch-avx512": "6e6", "softsearch-avx512-int8": "2e6", "torch": "16e6", "torch-int8": "8e6", "naive": "60e6",
	} {
		text += "BenchmarkDecoderStep/impl=" + impl + shape + ns + " ns/op\n"
	}
	r := parse(t, text)
	for name, want := range map[string]string{
		"step": `| | AVX-512, float32 / int8 | PyTorch, float32 / int8 | naive Go |
| --- | --- | --- | --- |
| small sizes, 12 hypotheses | 6.00 / 2.00 | 16.0 / 8.00 | 60.0 |
`,
		"step-ratios": `| | AVX-512 | PyTorch | PyTorch's int8 against ours | PyTorch's float32 against ours |
| --- | --- | --- | --- | --- |
| small sizes, 12 hypotheses | 3.00 × | 2.00 × | 4.00 × | 2.67 × |
`,
	} {
		if got := tables[name](r); got != want {
			t.Errorf("table %s:\n%s\nwant\n%s", name, got, want)
		}
	}
	other := suite.Case{Op: "DecoderStep", Batch: 1, Units: 37, Vocabulary: 101}
	if got, want := hypotheses(other), "37 units, vocabulary of 101, 1 hypothesis"; got != want {
		t.Errorf("label %q, want %q", got, want)
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
	const want = `| | softsearch, float32 / bf16 | PyTorch, float32 / bf16 | our bf16 against our float32 | PyTorch's bf16 against its float32 | our float32 against PyTorch's | our bf16 against PyTorch's faster |
| --- | --- | --- | --- | --- | --- | --- |
| the paper's sizes, 2 threads | 2.50 / 5.00 | 2.00 / 1.00 | 2.00 × | 0.500 × | 1.25 × | 2.50 × |
`
	r := parse(t, text)
	if got := tables["training"](r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r.Facts = []Fact{{"cpu", "Some CPU"}, {"ghz", "3.5"}}
	if got := machine(r); !strings.Contains(got, ", 3.5 GHz") {
		t.Errorf("machine of two threads: %q", got)
	}
	one := suite.Case{Op: "TrainingUpdate", Units: 256, Threads: 1}
	if got, want := updates(one), "small sizes, 1 thread"; got != want {
		t.Errorf("label %q, want %q", got, want)
	}
}

// TestTranslateTable: a row for each search that was measured, without figures for an implementation
// that was not.
func TestTranslateTable(t *testing.T) {
	const name, rest = "BenchmarkTranslate/impl=", "/threads=1-2 10 %s ns/op 1 sentences/s 0 B/op 0 allocs/op\n"
	text := ""
	for benchmark, ns := range map[string]string{
		"avx512/weights=float32/sizes=captions/beam=1/batch=32": "640000000",
		"avx512/weights=int8/sizes=captions/beam=1/batch=32":    "160000000",
		"avx2/weights=float32/sizes=captions/beam=1/batch=32":   "320000000",
		"avx2/weights=int8/sizes=captions/beam=1/batch=32":      "128000000",
		"avx512/weights=float32/sizes=captions/beam=12/batch=8": "6400000000",
		"avx512/weights=int8/sizes=captions/beam=12/batch=8":    "3200000000",
	} {
		text += name + benchmark + strings.Replace(rest, "%s", ns, 1)
	}
	const want = `| | AVX-512, float32 / int8 | AVX2, float32 / int8 | AVX-512, int8 against float32 | AVX2, int8 against float32 |
| --- | --- | --- | --- | --- |
| greedy, batch of 32 | 100 / 400 | 200 / 500 | 4.00 × | 2.50 × |
| beam 12, batch of 8 | 10.0 / 20.0 | | 2.00 × | |
`
	if got := translateTable(parse(t, text)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
