package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// smallCases have every operation, with sizes beside and on the multiples of a vector.
var smallCases = []suite.Case{
	{Op: "Gemv", Rows: 1, Cols: 1}, {Op: "Gemv", Rows: 37, Cols: 75}, {Op: "Gemv", Rows: 64, Cols: 128},
	{Op: "Gemm", Batch: 1, Rows: 5, Cols: 3}, {Op: "Gemm", Batch: 7, Rows: 34, Cols: 50}, {Op: "Gemm", Batch: 16, Rows: 64, Cols: 128},
	{Op: "GemmInput", Batch: 7, Rows: 34, Cols: 50}, {Op: "GemmGrad", Batch: 21, Rows: 34, Cols: 50},
	{Op: "Tanh", N: 101}, {Op: "Sigmoid", N: 101}, {Op: "Exp", N: 101}, {Op: "Softmax", N: 50}, {Op: "Softmax", N: 1001},
	{Op: "GRULayer", Batch: 1, Source: 4, Units: 37}, {Op: "GRULayer", Batch: 5, Source: 3, Units: 64},
	{Op: "LSTMLayer", Batch: 1, Source: 4, Units: 37}, {Op: "LSTMLayer", Batch: 5, Source: 3, Units: 64},
	{Op: "DecoderStep", Batch: 1, Source: 5, Units: 37, Vocabulary: 101, Embedding: 22, Maxout: 19},
	{Op: "DecoderStep", Batch: 12, Source: 9, Units: 64, Vocabulary: 200, Embedding: 32, Maxout: 48},
	{Op: "TrainingUpdate", Batch: 3, Source: 5, Units: 37, Vocabulary: 101, Embedding: 22, Maxout: 19, Threads: 1},
	{Op: "TrainingUpdate", Batch: 20, Source: 9, Units: 64, Vocabulary: 200, Embedding: 32, Maxout: 48, Threads: 1},
}

// tolerance bounds the difference of two results: sums of products by the roundings of all
// their terms, which are at most 1, functions by the 7e-6 that tphakala/simd states for exp,
// three times over for libraries that state nothing. The scores of a decoder step are of the order of
// 1 and have passed five products in a row; each rounds to 1/254 of the largest value if it has 8 bits.
// The losses of training updates are sums over words whose errors largely cancel.
func tolerance(c suite.Case, name string, want float32) float64 {
	const unit = 1.0 / (1 << 24)
	terms := float64(c.Cols)
	switch c.Op {
	case "DecoderStep", "GRULayer", "LSTMLayer":
		if strings.HasSuffix(name, "-int8") {
			return 0.05
		}
		return 1e-5
	case "TrainingUpdate":
		if strings.HasSuffix(name, "-bf16") {
			return 5e-3 * float64(want)
		}
		return 1e-5 * float64(want)
	case "Tanh", "Sigmoid", "Exp", "Softmax":
		return 2e-5 * math.Max(math.Abs(float64(want)), 1e-2)
	case "GemmGrad":
		terms = float64(c.Batch) + 1
	case "GemmInput":
		terms = float64(c.Rows)
	}
	return 2 * unit * terms * terms
}

func hasOpenBLAS() bool {
	list, _ := contender.OpenBLAS()
	return list != nil
}

// TestAgreement: every contender of every worker that is there computes what naive Go does.
func TestAgreement(t *testing.T) {
	workers, skipped, err := startAll("/usr/bin/python3", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range skipped {
		t.Log("skipped ", text)
	}
	defer stopAll(workers)
	i := slices.IndexFunc(workers, func(p *process) bool { return p.name == workerGo })
	if i < 0 {
		t.Fatal("the worker of the kernels does not run")
	}
	if hasOpenBLAS() && !slices.ContainsFunc(workers, func(p *process) bool { return p.name == workerOpenBLAS }) {
		t.Error("the worker of OpenBLAS does not run")
	}
	compared := 0
	for _, c := range smallCases {
		want, err := workers[i].Result(c, "naive")
		if err != nil {
			t.Fatal(err)
		}
		if c.Vocabulary > 0 && !(slices.Max(want)-slices.Min(want) > 2) {
			t.Errorf("%s: log p from %g to %g tell nothing", c, slices.Min(want), slices.Max(want))
		}
		for _, p := range workers {
			names, err := p.Contenders(c)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				got, err := p.Result(c, name)
				if err != nil {
					t.Errorf("%s of %s: %v", c, name, err)
				} else if len(got) > 0 {
					compared++
					compare(t, c, name, got, want)
				}
			}
		}
	}
	if compared < 2*len(smallCases) {
		t.Errorf("%d results compared", compared)
	}
}

func compare(t *testing.T, c suite.Case, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s of %s: %d values, want %d", c, name, len(got), len(want))
		return
	}
	largest := 0.0
	for i, v := range got {
		largest = max(largest, math.Abs(float64(v)-float64(want[i])))
		if limit := tolerance(c, name, want[i]); !(math.Abs(float64(v)-float64(want[i])) <= limit) {
			t.Errorf("%s of %s: value %d is %g, want %g within %g", c, name, i, v, want[i], limit)
			return
		}
	}
	if (strings.HasSuffix(name, "-int8") || strings.HasSuffix(name, "-bf16")) && largest < 1e-3 {
		t.Errorf("%s of %s: within %g of float32, so it does not compute in less", c, name, largest)
	}
}
