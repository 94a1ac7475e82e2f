// Command peers rewrites the tables of documents from results of benchmarks:
//
//	go run ./bench/peers          # of README.md, bench/README.md and bench/results/machines.md
//	go run ./bench/peers -check   # fails if they differ
//
// measure.sh writes the results: it runs the benchmarks of package bench, of this folder (libraries in Go,
// and with the tag openblas OpenBLAS and the bounds of products) and torch_peers.py in turns. The tests compare what all
// compute.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "change nothing, and fail if a table differs")
	flag.Parse()
	for _, document := range []string{"README.md", "bench/README.md", "bench/results/machines.md"} {
		if err := rewrite(document, "bench/results", *check); err != nil {
			fmt.Fprintln(os.Stderr, "peers:", err)
			os.Exit(1)
		}
	}
}

// marked matches a table between its markers: its name and the name of its results, peers without one.
var marked = regexp.MustCompile(`(?s)(<!-- peers:(\w+) ?([\w-]*) -->\n)(.*?)(<!-- /peers -->)`)

// rewrite makes the tables of a document from the results in a folder.
func rewrite(document, folder string, check bool) error {
	before, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	var failure error
	text := marked.ReplaceAllStringFunc(string(before), func(s string) string {
		m := marked.FindStringSubmatch(s)
		if m[3] == "" {
			m[3] = "peers"
		}
		r, err := read(filepath.Join(folder, m[3]+".txt"))
		if table, ok := tables[m[2]]; err == nil && ok {
			return m[1] + table(r) + m[5]
		} else if failure = err; err == nil {
			failure = fmt.Errorf("%s: no table %q", document, m[2])
		}
		return s
	})
	switch {
	case failure != nil || text == string(before):
		return failure
	case check:
		return fmt.Errorf("%s: tables differ from the results: run go run ./bench/peers", document)
	}
	return os.WriteFile(document, []byte(text), 0o666)
}

// Results are the times of a file.
type results struct {
	cases []string // benchmarks without what compares: impl, weights and precision
	facts [][2]string
	times map[[2]string][]float64 // of a case and a contender in ns, round by round
}

var benchmark = regexp.MustCompile(`^Benchmark(\w+)/impl=([^/ ]+)/(\S+?)(?:-\d+)?\s+\d+\s+(\S+) ns/op`)

// read reads facts, "key: value", and times in the format of Go benchmarks. A contender is an implementation, with -int8 or
// -bf16 behind it if it computes in that.
func read(file string) (*results, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &results{times: map[[2]string][]float64{}}
	for line := range strings.Lines(string(content)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(key, "#") && !strings.HasPrefix(key, "Benchmark") {
			r.facts = append(r.facts, [2]string{key, value})
			continue
		}
		m := benchmark.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "Benchmark") {
				return nil, fmt.Errorf("%s: %q is not a benchmark with impl= and a time in ns/op", file, line)
			}
			continue
		}
		contender, parts := m[2], []string{m[1]}
		for part := range strings.SplitSeq(m[3], "/") {
			switch key, value, _ := strings.Cut(part, "="); {
			case value == "int8" || value == "bf16":
				contender += "-" + value
			case key != "weights":
				parts = append(parts, part)
			}
		}
		ns, err := strconv.ParseFloat(m[4], 64)
		if err != nil || !(ns > 0) {
			return nil, fmt.Errorf("%s: %q: not a positive time", file, line)
		}
		name := strings.Join(parts, "/")
		if !slices.Contains(r.cases, name) {
			r.cases = append(r.cases, name)
		}
		r.times[[2]string{name, contender}] = append(r.times[[2]string{name, contender}], ns)
	}
	if len(r.cases) == 0 {
		return nil, fmt.Errorf("%s: no results", file)
	}
	return r, nil
}

func (r *results) fact(key string) string {
	for _, f := range r.facts {
		if f[0] == key {
			return f[1]
		}
	}
	return ""
}

// time returns the median time in ns, NaN without results.
func (r *results) time(name, contender string) float64 {
	return median(r.times[[2]string{name, contender}])
}

// ratio returns the median over rounds of the time of one contender by another's in the same round: above 1, ours takes
// less. Results of go test have no rounds, and ratio divides the medians.
func (r *results) ratio(name, theirs, ours string) float64 {
	if r.fact("pkg") != "" {
		return r.time(name, theirs) / r.time(name, ours)
	}
	x, y := r.times[[2]string{name, theirs}], r.times[[2]string{name, ours}]
	var ratios []float64
	for i := range min(len(x), len(y)) {
		ratios = append(ratios, x[i]/y[i])
	}
	return median(ratios)
}

func median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(n-1)/2] + x[n/2]) / 2
}

// A column gives the text of each case, "" without results.
type column struct {
	title string
	cell  func(r *results, name string) string
}

// table returns the function that makes a table of the cases that match, without empty columns and rows.
func table(pattern string, columns ...column) func(r *results) string {
	rows := regexp.MustCompile(pattern)
	return func(r *results) string {
		lines, used := [][]string{{""}, {"---"}}, []bool{true}
		for _, c := range columns {
			lines[0], lines[1], used = append(lines[0], c.title), append(lines[1], "---"), append(used, false)
		}
		for _, name := range r.cases {
			if !rows.MatchString(name) {
				continue
			}
			line := []string{label(name)}
			for i, c := range columns {
				line = append(line, c.cell(r, name))
				used[i+1] = used[i+1] || line[i+1] != ""
			}
			if slices.ContainsFunc(line[1:], func(cell string) bool { return cell != "" }) {
				lines = append(lines, line)
			}
		}
		var b strings.Builder
		for _, line := range lines {
			b.WriteString("|")
			for i, cell := range line {
				if used[i] {
					b.WriteString(strings.TrimRight(" "+cell, " ") + " |")
				}
			}
			b.WriteString("\n")
		}
		return b.String()
	}
}

// A choice is one of some contenders in a case.
type choice func(r *results, name string) string

// first is the first with results.
func first(names ...string) choice {
	return func(r *results, name string) string {
		i := slices.IndexFunc(names, func(contender string) bool { return !math.IsNaN(r.time(name, contender)) })
		return names[max(i, 0)]
	}
}

// fastest is the one that takes the least time.
func fastest(names ...string) choice {
	return func(r *results, name string) string {
		return slices.MinFunc(names, func(a, b string) int {
			x, y := r.time(name, a), r.time(name, b)
			switch {
			case x < y || math.IsNaN(y) && !math.IsNaN(x):
				return -1
			case x == y || math.IsNaN(x) && math.IsNaN(y):
				return 0
			}
			return 1
		})
	}
}

func value(title string, of choice, text func(name string, ns float64) string) column {
	return column{title, func(r *results, name string) string { return text(name, r.time(name, of(r, name))) }}
}

// ratio is how many times as long theirs takes.
func ratio(title string, theirs, ours choice) column { return compared(title, theirs, ours, 1, " ×") }

func compared(title string, theirs, ours choice, scale float64, suffix string) column {
	return column{title, func(r *results, name string) string {
		return figure(scale*r.ratio(name, theirs(r, name), ours(r, name)), suffix)
	}}
}

// both puts the figures of two contenders into one column.
func both(title, a, b string, text func(name string, ns float64) string) column {
	return column{title, func(r *results, name string) string {
		return strings.Trim(text(name, r.time(name, a))+" / "+text(name, r.time(name, b)), " /")
	}}
}

func microseconds(_ string, ns float64) string { return figure(ns/1e3, " µs") }

func milliseconds(_ string, ns float64) string { return figure(ns/1e6, "") }

// perSecond is the number of sentences a second of a training update or a translation.
func perSecond(name string, ns float64) string {
	sentences := 80.0
	if strings.HasPrefix(name, "Translate/") {
		sentences = 64
	}
	return figure(sentences*1e9/ns, "")
}

// natural is the time or, of what takes sentences, their number in a second.
func natural(name string, ns float64) string {
	switch {
	case math.IsNaN(ns):
		return ""
	case strings.HasPrefix(name, "TrainingUpdate/"):
		return perSecond(name, ns) + " sentences/s"
	case ns < 1e5:
		return microseconds(name, ns)
	}
	return milliseconds(name, ns) + " ms"
}

// figure returns v with three significant digits and a suffix, "" for NaN.
func figure(v float64, suffix string) string {
	if math.IsNaN(v) {
		return ""
	}
	text := strconv.FormatFloat(v, 'e', 2, 64)
	v, _ = strconv.ParseFloat(text, 64) // rounded
	exponent, _ := strconv.Atoi(text[strings.Index(text, "e")+1:])
	return strconv.FormatFloat(v, 'f', max(0, 2-exponent), 64) + suffix
}

const summary = `Gemv/rows=3000/cols=1000|Gemm/batch=(12|80)/rows=3000/cols=1000|Tanh/n=1024|Sigmoid/n=1024|Softmax/n=30000`

var (
	ours        = first("avx512", "avx2")
	oursInt8    = first("avx512-int8", "avxvnni-int8", "avx2-int8")
	oursBF16    = first("avx512-bf16", "avx2-bf16")
	ours512     = first("avx512")
	ours2       = first("avx2")
	naive       = first("naive")
	openBLAS512 = []string{"openblas-sapphirerapids", "openblas-cooperlake", "openblas-skylakex"}
	openBLAS2   = []string{"openblas-haswell", "openblas-zen"}
)

// inference are the columns of what runs a model.
var inference = []column{
	both("AVX-512", "avx512", "avx512-int8", milliseconds), both("AVX-VNNI", "avxvnni", "avxvnni-int8", milliseconds), both("AVX2", "avx2", "avx2-int8", milliseconds),
	both("PyTorch", "torch", "torch-int8", milliseconds), value("spaGO", first("spago"), milliseconds), value("plain Go", naive, milliseconds),
	ratio("int8 against float32", ours, oursInt8), ratio("with AVX-VNNI", first("avxvnni"), first("avxvnni-int8")),
	ratio("float32 against PyTorch's", first("torch"), ours), ratio("int8 against PyTorch's", first("torch-int8"), oursInt8),
}

// tables are those of documents by the names of their markers.
var tables = map[string]func(r *results) string{
	"machine": machine,
	"summary": table("^("+summary+")$",
		value("time", ours, microseconds), ratio("OpenBLAS", first(slices.Concat(openBLAS512, openBLAS2)...), ours),
		ratio("PyTorch", first("torch-avx512", "torch"), ours), ratio("Gonum", first("gonum"), ours), ratio("plain Go", naive, ours)),
	"kernels": described("^("+summary+`|Gemv/rows=256/cols=256|Gemv/rows=1000/cols=1000|Gemv/rows=3000/cols=2000|Gemv/rows=30000/cols=500|`+
		`Gemm/batch=80/rows=768/cols=256|Gemm/batch=80/rows=30000/cols=500|Gemm\w*/batch=2000/rows=3000/cols=620|Exp/n=1024)$`,
		value("AVX-512", ours512, natural), compared("of the bound", first("read-avx512", "peak-avx512"), ours512, 100, " %"),
		ratio("OpenBLAS", fastest(withTransposed(openBLAS512)...), ours512), ratio("PyTorch", first("torch-avx512", "torch"), ours512),
		ratio("Gonum", first("gonum"), ours512), ratio("plain Go", naive, ours512),
		value("AVX2", ours2, natural), compared("of the bound", first("read-avx2", "peak-avx2"), ours2, 100, " %"),
		ratio("OpenBLAS", fastest(withTransposed(openBLAS2)...), ours2), ratio("PyTorch", first("torch-avx2"), ours2),
		ratio("vek", first("vek-avx2"), ours2), ratio("tphakala", first("tphakala-avx2"), ours2)),
	"model": described(`^DecoderStep/sizes=(\w+/threads=1|paper/threads=2/batch=12)|^TrainingUpdate/sizes=\w+/threads=\d$`,
		value("plain Go", naive, natural), value("AVX2", ours2, natural), value("AVX-512", ours512, natural),
		ratio("against plain Go", naive, fastest("avx512", "avx2"))),
	"layer": described("^Layer/", inference...),
	"step":  described("^DecoderStep/", inference...),
	"translate": described("^Translate/.*beam=(1/batch=(1|32)|5/batch=16|12/batch=8)/",
		both("AVX-512", "avx512", "avx512-int8", perSecond), both("AVX-VNNI", "avxvnni", "avxvnni-int8", perSecond), both("AVX2", "avx2", "avx2-int8", perSecond),
		ratio("AVX-512, int8 against float32", ours512, first("avx512-int8")), ratio("AVX-VNNI, int8 against float32", first("avxvnni"), first("avxvnni-int8")),
		ratio("AVX2, int8 against float32", ours2, first("avx2-int8"))),
	"training": described(`^TrainingUpdate/sizes=\w+/threads=\d$`,
		both("AVX-512", "avx512", "avx512-bf16", perSecond), both("PyTorch", "torch", "torch-bf16", perSecond), ratio("bf16 against float32", ours, oursBF16),
		ratio("float32 against PyTorch's", first("torch"), ours), ratio("bf16 against PyTorch's faster", fastest("torch", "torch-bf16"), oursBF16)),
}

// described puts the machine before a table.
func described(pattern string, columns ...column) func(r *results) string {
	rows := table(pattern, columns...)
	return func(r *results) string { return machine(r) + "\n" + rows(r) }
}

func withTransposed(names []string) []string {
	list := slices.Clone(names)
	for _, name := range names {
		list = append(list, name+"-transposed")
	}
	return list
}

// machine says what the results were measured on, and with which libraries.
func machine(r *results) string {
	text := r.fact("cpu")
	if ghz := r.fact("ghz"); ghz != "" {
		if !slices.ContainsFunc(r.cases, func(name string) bool { return strings.Contains(name, "threads=2") }) {
			ghz = "one thread at " + ghz
		}
		text = fmt.Sprintf("%s (%s), %s GHz, %s, %s, %s", text, r.fact("caches"), ghz, r.fact("os"), r.fact("go"), r.fact("date"))
	}
	var libraries []string
	for _, f := range r.facts {
		name, _, _ := strings.Cut(f[0], "-")
		library, version := map[string]string{"gonum": "Gonum", "vek": "vek", "tphakala": "tphakala", "gomlx": "gomlx", "spago": "spaGO", "openblas": "OpenBLAS", "torch": "PyTorch"}[name], f[1]
		if library == "OpenBLAS" { // its configuration begins with its name and version
			version, _, _ = strings.Cut(strings.TrimPrefix(version, "OpenBLAS "), " ")
		}
		if text := library + " " + version; library != "" && !slices.Contains(libraries, text) {
			libraries = append(libraries, text)
		}
	}
	if len(libraries) > 0 {
		text += ". " + strings.Join(libraries, ", ")
	}
	return text + ".\n"
}

// label returns a case as a table shows it: "matrix product, 12 rows, 3000×1000".
func label(name string) string {
	op, shape, _ := strings.Cut(name, "/")
	phrases := map[string]string{
		"sizes=small": "small sizes", "sizes=paper": "the paper's sizes", "sizes=captions": "", "threads=1": "", "threads=2": "2 threads", "beam=1": "greedy", "cell=gru": "GRU", "cell=lstm": "LSTM",
	}
	batches := map[string][2]string{
		"Gemm": {"row", "rows"}, "GemmInput": {"row", "rows"}, "GemmGrad": {"row", "rows"}, "Layer": {"sequence", "sequences"}, "DecoderStep": {"hypothesis", "hypotheses"},
	}
	var parts []string
	if title := map[string]string{
		"Gemv": "matrix–vector product", "Gemm": "matrix product", "GemmInput": "dY·W", "GemmGrad": "dW + dYᵀ·X", "DecoderStep": "decoder step", "TrainingUpdate": "training update",
	}[op]; title != "" {
		parts = append(parts, title)
	}
	rows := ""
	for part := range strings.SplitSeq(shape, "/") {
		key, value, _ := strings.Cut(part, "=")
		phrase, known := phrases[part]
		switch {
		case known:
		case key == "rows":
			rows = value
		case key == "cols":
			phrase = rows + "×" + value
		case key == "n":
			return strings.ToLower(op) + " of " + value
		case key == "units":
			phrase = value + " units"
		case key == "beam":
			phrase = "beam " + value
		case key == "batch":
			if phrase = value + " " + batches[op][1]; value == "1" {
				phrase = value + " " + batches[op][0]
			}
			if op == "Translate" {
				phrase = "batch of " + value
			}
		}
		if phrase != "" {
			parts = append(parts, phrase)
		}
	}
	return strings.Join(parts, ", ")
}
