package report

import (
	"fmt"
	"slices"
	"strings"
)

const (
	ours512  = "softsearch-avx512"
	oursVNNI = "softsearch-avxvnni"
	ours2    = "softsearch-avx2"

	int8 = "-int8" // ends the name of a contender with weights of int8
	bf16 = "-bf16" // ends the name of a contender with factors of bfloat16
)

// ours is the fastest implementation of the kernels that was measured, oursInt8 and oursBF16 those of products
// of int8 and of bfloat16; that of AVX-VNNI differs from AVX2 in int8 alone. OpenBLAS is named after the kernels that it runs, and has a second Gemv.
var (
	ours        = first(ours512, ours2)
	oursInt8    = first(ours512+int8, oursVNNI+int8, ours2+int8)
	oursBF16    = first(ours512+bf16, ours2+bf16)
	openBLAS512 = []string{"openblas-sapphirerapids", "openblas-cooperlake", "openblas-skylakex"}
	openBLAS2   = []string{"openblas-haswell", "openblas-zen"}
)

// summary has the cases of README.md, more those that bench/README.md has besides.
const (
	summary = `
		Gemv/rows=3000/cols=1000
		Gemm/batch=12/rows=3000/cols=1000 Gemm/batch=80/rows=3000/cols=1000
		Tanh/n=1024 Sigmoid/n=1024 Softmax/n=30000`
	more = `
		Gemv/rows=256/cols=256 Gemv/rows=1000/cols=1000 Gemv/rows=3000/cols=2000 Gemv/rows=30000/cols=500
		Gemm/batch=80/rows=768/cols=256 Gemm/batch=80/rows=30000/cols=500 Gemm/batch=2000/rows=3000/cols=620
		GemmInput/batch=2000/rows=3000/cols=620 GemmGrad/batch=2000/rows=3000/cols=620
		Exp/n=1024`
)

// inference are the columns of what runs a model.
var inference = []column{
	both("AVX-512", ours512, ours512+int8, milliseconds),
	both("AVX-VNNI", oursVNNI, oursVNNI+int8, milliseconds),
	both("AVX2", ours2, ours2+int8, milliseconds),
	both("PyTorch", "torch", "torch"+int8, milliseconds),
	value("spaGO", first("spago"), milliseconds),
	value("plain Go", first("naive"), milliseconds),
	ratio("int8 against float32", ours, oursInt8),
	ratio("with AVX-VNNI", first(oursVNNI), first(oursVNNI+int8)),
	ratio("float32 against PyTorch's", first("torch"), ours),
	ratio("int8 against PyTorch's", first("torch"+int8), oursInt8),
}

// Tables are the texts of a document by the names of their markers.
var Tables = map[string]func(r *Results) string{
	"machine": machine,
	"summary": table{listed(summary), []column{
		value("time", ours, microseconds),
		ratio("OpenBLAS", first(slices.Concat(openBLAS512, openBLAS2)...), ours),
		ratio("PyTorch", first("torch-avx512", "torch"), ours),
		ratio("Gonum", first("gonum"), ours),
		ratio("plain Go", first("naive"), ours),
	}}.markdown,
	"kernels": described(table{listed(summary + more), []column{
		value("AVX-512", first(ours512), natural),
		share("of the bound", first("read-avx512", "peak-avx512"), first(ours512)),
		ratio("OpenBLAS", fastest(withTransposed(openBLAS512)...), first(ours512)),
		ratio("PyTorch", first("torch-avx512", "torch"), first(ours512)),
		ratio("Gonum", first("gonum"), first(ours512)),
		ratio("plain Go", first("naive"), first(ours512)),
		value("AVX2", first(ours2), natural),
		share("of the bound", first("read-avx2", "peak-avx2"), first(ours2)),
		ratio("OpenBLAS", fastest(withTransposed(openBLAS2)...), first(ours2)),
		ratio("PyTorch", first("torch-avx2"), first(ours2)),
		ratio("vek", first("vek-avx2"), first(ours2)),
		ratio("tphakala", first("tphakala-avx2"), first(ours2)),
	}}),
	"model": described(table{matching(`^DecoderStep/sizes=(\w+/threads=1|paper/threads=2/batch=12)|^TrainingUpdate/sizes=\w+/threads=\d$`), []column{
		value("plain Go", first("naive"), natural),
		value("AVX2", first(ours2), natural),
		value("AVX-512", first(ours512), natural),
		ratio("against plain Go", first("naive"), fastest(ours512, ours2)),
	}}),
	"layer": described(table{matching("Layer/"), inference}),
	"step":  described(table{matching("^DecoderStep"), inference}),
	"translate": described(table{matching("^Translate/.*beam=(1/batch=(1|32)|5/batch=16|12/batch=8)/"), []column{
		both("AVX-512", ours512, ours512+int8, perSecond),
		both("AVX-VNNI", oursVNNI, oursVNNI+int8, perSecond),
		both("AVX2", ours2, ours2+int8, perSecond),
		ratio("AVX-512, int8 against float32", first(ours512), first(ours512+int8)),
		ratio("AVX-VNNI, int8 against float32", first(oursVNNI), first(oursVNNI+int8)),
		ratio("AVX2, int8 against float32", first(ours2), first(ours2+int8)),
	}}),
	"training": described(table{matching("^TrainingUpdate"), []column{
		both("AVX-512", ours512, ours512+bf16, perSecond),
		both("PyTorch", "torch", "torch"+bf16, perSecond),
		ratio("bf16 against float32", ours, oursBF16),
		ratio("float32 against PyTorch's", first("torch"), ours),
		ratio("bf16 against PyTorch's faster", fastest("torch", "torch"+bf16), oursBF16),
	}}),
}

// described puts the machine before a table.
func described(t table) func(r *Results) string {
	return func(r *Results) string { return machine(r) + "\n" + t.markdown(r) }
}

func withTransposed(names []string) []string {
	list := slices.Clone(names)
	for _, name := range names {
		list = append(list, name+"-transposed")
	}
	return list
}

// All is everything that was measured: a table for each operation, with a column for each contender
// and, behind its time, how many times as long it takes as ours on the same instruction set.
func All(r *Results) string {
	var columns []column
	for _, contender := range r.Contenders {
		if contender == "cycle" { // a probe of the clock
			continue
		}
		ours := ours
		for _, isa := range []string{ours512, ours2} {
			if strings.HasSuffix(contender, strings.TrimPrefix(isa, "softsearch")) {
				ours = first(isa)
			}
		}
		columns = append(columns, column{contender, func(r *Results, name string) string {
			text := natural(name, r.Time(name, contender))
			if x := figure(r.Ratio(name, contender, ours(r, name)), " ×"); x != "" && ours(r, name) != contender {
				text += " (" + x + ")"
			}
			return text
		}})
	}
	text, last := machine(r), ""
	for _, name := range r.Cases {
		if op, _, _ := strings.Cut(name, "/"); op != last {
			text += "\n## " + op + "\n\n" + table{matching("^" + op + "/"), columns}.markdown(r)
			last = op
		}
	}
	return text
}

// machine is a sentence of what the results were measured on and one of the libraries.
func machine(r *Results) string {
	text := r.Fact("cpu")
	if r.Fact("ghz") != "" {
		clock := "one thread at " + r.Fact("ghz")
		if slices.ContainsFunc(r.Cases, func(name string) bool { return strings.Contains(name, "threads=2") }) {
			clock = r.Fact("ghz")
		}
		text = fmt.Sprintf("%s (%s), %s GHz, %s, %s, %s", text, r.Fact("caches"), clock, r.Fact("os"), r.Fact("go"), r.Fact("date"))
	}
	var libraries []string
	last := slices.IndexFunc(r.facts, func(f [2]string) bool { return f[0] == "ghz" })
	for _, f := range r.facts[last+1:] {
		name, _, _ := strings.Cut(f[0], "-")
		library, version := map[string]string{"gonum": "Gonum", "openblas": "OpenBLAS", "torch": "PyTorch"}[name], f[1]
		if library == "" {
			library = name
		}
		if library == "OpenBLAS" { // its configuration begins with its name and version
			version, _, _ = strings.Cut(strings.TrimPrefix(version, "OpenBLAS "), " ")
		}
		if text := library + " " + version; last >= 0 && !slices.Contains(libraries, text) {
			libraries = append(libraries, text)
		}
	}
	if len(libraries) > 0 {
		text += ". " + strings.Join(libraries, ", ")
	}
	return text + ".\n"
}

// label returns the name of a case as a table shows it: "12 rows, 3000×1000".
func label(name string) string {
	op, shape, _ := strings.Cut(name, "/")
	var parts []string
	rows := ""
	for part := range strings.SplitSeq(shape, "/") {
		key, value, _ := strings.Cut(part, "=")
		switch text, known := phrases[op+"/"+part]; {
		case known:
			parts = append(parts, text)
		case phrases[part] != "":
			parts = append(parts, phrases[part])
		case key == "rows":
			rows = value
		case key == "cols":
			parts = append(parts, rows+"×"+value)
		case key == "n":
			return strings.ToLower(op) + " of " + value
		case strings.Contains(titles[op].batch, "%s") && key == "batch":
			parts = append(parts, fmt.Sprintf(titles[op].batch, value))
		case key == "beam":
			parts = append(parts, "beam "+value)
		}
	}
	return titles[op].name + strings.Join(parts, ", ")
}

var titles = map[string]struct{ name, batch string }{
	"Gemv":           {"matrix–vector product, ", ""},
	"Gemm":           {"matrix product, ", "%s rows"},
	"GemmInput":      {"dY·W, ", "%s rows"},
	"GemmGrad":       {"dW + dYᵀ·X, ", "%s rows"},
	"GRU":            {"GRU step, ", "%s rows"},
	"GRULayer":       {"GRU, ", "%s sequences"},
	"LSTMLayer":      {"LSTM, ", "%s sequences"},
	"DecoderStep":    {"decoder step, ", "%s hypotheses"},
	"TrainingUpdate": {"training update, ", ""},
	"Translate":      {"", "batch of %s"},
}

// phrases are what a table shows of some sizes.
var phrases = map[string]string{
	"sizes=small": "small sizes", "units=256": "small sizes", "sizes=paper": "the paper's sizes", "units=1000": "the paper's sizes",
	"GRULayer/units=256": "256 units", "LSTMLayer/units=256": "256 units", "units=1024": "1024 units",
	"GRULayer/batch=1": "1 sequence", "LSTMLayer/batch=1": "1 sequence",
	"hidden=256": "256 units", "hidden=1000": "1000 units", "threads=2": "2 threads", "threads=1": "",
	"GRU/batch=1": "1 row", "DecoderStep/batch=1": "1 hypothesis", "Translate/beam=1": "greedy",
}
