package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

const (
	ours512 = "softsearch-avx512"
	ours2   = "softsearch-avx2"

	int8 = "-int8" // ends the name of a contender with weights of int8
	bf16 = "-bf16" // ends the name of a contender with factors of bfloat16
)

// fastest and fastestBF16 name the fastest implementation of the kernels that was measured.
var (
	fastest     = first(ours512, ours2)
	fastestBF16 = first(ours512+bf16, ours2+bf16)
)

// tables are the texts of a document by the names of their markers.
var tables = map[string]func(r *Results) string{
	"machine":   machine,
	"breakdown": whereTimeGoes,
	"model":     modelTable,
	"translate": translateTable,
	"summary": table{[]string{"Gemv", "Gemm", "Tanh", "Sigmoid", "Softmax"}, summaryLabel, []column{
		summarized(column{"time", func(r *Results, c suite.Case) string { return with(r.Time(c, fastest(r, c))/1e3, " µs") }}),
		summarized(ratio("OpenBLAS", first("openblas-sapphirerapids", "openblas-cooperlake", "openblas-skylakex", "openblas-haswell", "openblas-zen"), fastest)),
		summarized(ratio("PyTorch", first("torch-avx512", "torch"), fastest)),
		summarized(ratio("Gonum", named("gonum"), fastest)),
		summarized(ratio("plain Go", named("naive"), fastest)),
	}}.markdown,
	"gemv": table{[]string{"Gemv"}, weights, []column{
		value("AVX-512", named(ours512), bandwidth),
		value("AVX2", named(ours2), bandwidth),
		pair("OpenBLAS AVX-512, W row-major / transposed",
			value("", openBLAS512, bandwidth), value("", transposed(openBLAS512), bandwidth)),
		pair("OpenBLAS AVX2, W row-major / transposed",
			value("", openBLAS2, bandwidth), value("", transposed(openBLAS2), bandwidth)),
		value("reading alone", first("read-avx512", "read-avx2"), bandwidth),
		pair("AVX-512 against OpenBLAS",
			ratio("", openBLAS512, named(ours512)), ratio("", transposed(openBLAS512), named(ours512))),
		pair("AVX2 against OpenBLAS",
			ratio("", openBLAS2, named(ours2)), ratio("", transposed(openBLAS2), named(ours2))),
		share("AVX-512 of reading", named("read-avx512"), named(ours512)),
		share("AVX2 of reading", named("read-avx2"), named(ours2)),
	}}.markdown,
	"gemv-others": table{[]string{"Gemv"}, weights, opponents(bandwidth,
		"torch", "tphakala-avx512", "tphakala-avx2", "vek-avx2", "archsimd-avx512", "archsimd-avx2",
		"gomlx-avx512", "gomlx-avx2", "gomlx-go", "gonum", "naive",
	)}.markdown,
	"gemm": table{[]string{"Gemm", "GemmInput", "GemmGrad"}, batched, []column{
		value("AVX-512", named(ours512), arithmetic),
		value("AVX2", named(ours2), arithmetic),
		value("OpenBLAS AVX-512", openBLAS512, arithmetic),
		value("OpenBLAS AVX2", openBLAS2, arithmetic),
		ratio("AVX-512 against OpenBLAS", openBLAS512, named(ours512)),
		ratio("AVX2 against OpenBLAS", openBLAS2, named(ours2)),
		share("AVX-512 of the peak", named("peak-avx512"), named(ours512)),
		share("AVX2 of the peak", named("peak-avx2"), named(ours2)),
	}}.markdown,
	"gemm-others": table{[]string{"Gemm", "GemmInput", "GemmGrad"}, batched, opponents(arithmetic,
		"torch", "archsimd-avx512", "archsimd-avx2", "gomlx-avx512", "gomlx-avx2", "gomlx-go",
		"vek-avx2", "gonum", "naive",
	)}.markdown,
	"elementwise": functions("Tanh", "Sigmoid", "Exp").markdown,
	"softmax":     functions("Softmax").markdown,
	"attention": table{[]string{"Scores"}, keys, []column{
		value("AVX-512", named(ours512), each),
		value("tanh alone", named("tanh-avx512"), each),
		ratio("scores by tanh", named(ours512), named("tanh-avx512")),
		value("AVX2", named(ours2), each),
		value("tanh alone", named("tanh-avx2"), each),
		ratio("scores by tanh", named(ours2), named("tanh-avx2")),
	}}.markdown,
	"step": table{[]string{"DecoderStep"}, hypotheses, []column{
		precisions("AVX-512", ours512),
		precisions("AVX2", ours2),
		precisions("portable Go", "softsearch-go"),
		precisions("PyTorch", "torch"),
		value("naive Go", named("naive"), milliseconds),
	}}.markdown,
	"step-ratios": table{[]string{"DecoderStep"}, hypotheses, []column{
		ratio("AVX-512", named(ours512), named(ours512+int8)),
		ratio("AVX2", named(ours2), named(ours2+int8)),
		ratio("portable Go", named("softsearch-go"), named("softsearch-go"+int8)),
		ratio("PyTorch", named("torch"), named("torch"+int8)),
		ratio("PyTorch's int8 against ours", named("torch"+int8), first(ours512+int8, ours2+int8)),
		ratio("PyTorch's float32 against ours", named("torch"), fastest),
	}}.markdown,
	"training": table{[]string{"TrainingUpdate"}, updates, []column{
		pair("softsearch, float32 / bf16", value("", fastest, sentences), value("", fastestBF16, sentences)),
		pair("PyTorch, float32 / bf16", value("", named("torch"), sentences), value("", named("torch"+bf16), sentences)),
		ratio("our bf16 against our float32", fastest, fastestBF16),
		ratio("PyTorch's bf16 against its float32", named("torch"), named("torch"+bf16)),
		ratio("our float32 against PyTorch's", named("torch"), fastest),
		ratio("our bf16 against PyTorch's faster", faster("torch", "torch"+bf16), fastestBF16),
	}}.markdown,
	"portable": table{
		[]string{"Gemv", "Gemm", "GemmInput", "GemmGrad", "Tanh", "Sigmoid", "Exp", "Softmax"}, label, []column{
			value("naive Go", named("naive"), each),
			value("portable Go", named("softsearch-go"), each),
			ratio("portable against naive", named("naive"), named("softsearch-go")),
		},
	}.markdown,
}

func functions(operations ...string) table {
	return table{operations, elements, append([]column{
		value("AVX-512", named(ours512), each),
		cycles("cycles", ours512),
		value("AVX2", named(ours2), each),
		cycles("cycles", ours2),
	}, opponents(each,
		"tphakala-avx2", "vek-avx2", "torch-avx512", "torch-avx2", "gomlx-go", "naive",
	)...)}
}

// summary lists the cases of the table "summary".
var summary = []suite.Case{
	{Op: "Gemv", Rows: 3000, Cols: 1000},
	{Op: "Gemm", Batch: 12, Rows: 3000, Cols: 1000},
	{Op: "Gemm", Batch: 80, Rows: 3000, Cols: 1000},
	{Op: "Tanh", N: 1024},
	{Op: "Sigmoid", N: 1024},
	{Op: "Softmax", N: 30000},
}

// summarized empties the cells of a column that are not in the summary.
func summarized(c column) column {
	return column{c.title, func(r *Results, of suite.Case) string {
		if !slices.Contains(summary, of) {
			return ""
		}
		return c.cell(r, of)
	}}
}

func summaryLabel(c suite.Case) string {
	switch {
	case c.Batch > 0:
		return "matrix product, " + batched(c)
	case c.Rows > 0:
		return "matrix–vector product, " + weights(c)
	}
	return elements(c)
}

func weights(c suite.Case) string { return fmt.Sprintf("%d×%d", c.Rows, c.Cols) }

func batched(c suite.Case) string {
	text := fmt.Sprintf("%d rows, %s", c.Batch, weights(c))
	switch c.Op {
	case "GemmInput":
		return "dY·W, " + text
	case "GemmGrad":
		return "dW + dYᵀ·X, " + text
	}
	return text
}

func elements(c suite.Case) string { return fmt.Sprintf("%s of %d", strings.ToLower(c.Op), c.N) }

func keys(c suite.Case) string { return fmt.Sprintf("%d words, %d units", c.Source, c.Units) }

// hypotheses is the label of a decoder step.
func hypotheses(c suite.Case) string {
	if c.Batch == 1 {
		return sizes(c) + ", 1 hypothesis"
	}
	return fmt.Sprintf("%s, %d hypotheses", sizes(c), c.Batch)
}

// updates is the label of a training update.
func updates(c suite.Case) string {
	if c.Threads == 1 {
		return sizes(c) + ", 1 thread"
	}
	return fmt.Sprintf("%s, %d threads", sizes(c), c.Threads)
}

// sizes are those of the model of a case.
func sizes(c suite.Case) string {
	switch c.Units {
	case bench.Small.Hidden:
		return "small sizes"
	case bench.Paper.Hidden:
		return "the paper's sizes"
	}
	return fmt.Sprintf("%d units, vocabulary of %d", c.Units, c.Vocabulary)
}

func label(c suite.Case) string {
	switch {
	case c.Batch > 0:
		return "GEMM, " + batched(c)
	case c.Rows > 0:
		return "GEMV, " + weights(c)
	}
	return elements(c)
}
