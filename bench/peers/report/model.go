package report

import (
	"math"
	"strings"
)

// A modelRow is a row of the table of the model's steps: a Go benchmark of package bench, IMPL in
// the place of the implementation.
type modelRow struct {
	label     string
	benchmark string
	sentences float64 // of an operation whose figure is sentences/s; 0: the figure is in ms
}

var modelRows = []modelRow{
	{"GRU step, 256 units, 80 rows", "GRU/impl=IMPL/hidden=256/batch=80", 0},
	{"GRU step, 1000 units, 1 row", "GRU/impl=IMPL/hidden=1000/batch=1", 0},
	{"GRU step, 1000 units, 80 rows", "GRU/impl=IMPL/hidden=1000/batch=80", 0},
	{"decoder step, small sizes, 1 hypothesis", "DecoderStep/impl=IMPL/weights=float32/sizes=small/threads=1/batch=1", 0},
	{"decoder step, small sizes, 12 hypotheses", "DecoderStep/impl=IMPL/weights=float32/sizes=small/threads=1/batch=12", 0},
	{"decoder step, small sizes, 12 hypotheses, 2 threads", "DecoderStep/impl=IMPL/weights=float32/sizes=small/threads=2/batch=12", 0},
	{"decoder step, the paper's sizes, 1 hypothesis", "DecoderStep/impl=IMPL/weights=float32/sizes=paper/threads=1/batch=1", 0},
	{"decoder step, the paper's sizes, 12 hypotheses", "DecoderStep/impl=IMPL/weights=float32/sizes=paper/threads=1/batch=12", 0},
	{"decoder step, the paper's sizes, 12 hypotheses, 2 threads", "DecoderStep/impl=IMPL/weights=float32/sizes=paper/threads=2/batch=12", 0},
	{"training update, small sizes", "TrainingUpdate/impl=IMPL/sizes=small/threads=1", 80},
	{"training update, small sizes, 2 threads", "TrainingUpdate/impl=IMPL/sizes=small/threads=2", 80},
	{"training update, the paper's sizes", "TrainingUpdate/impl=IMPL/sizes=paper/threads=1", 80},
	{"training update, the paper's sizes, 2 threads", "TrainingUpdate/impl=IMPL/sizes=paper/threads=2", 80},
}

// time returns the median time of the row in ns, NaN without results.
func (m modelRow) time(r *Results, impl string) float64 {
	return r.Benchmark(strings.Replace(m.benchmark, "IMPL", impl, 1))
}

// cell returns the figure of one implementation with its unit, "" without results.
func (m modelRow) cell(r *Results, impl string) string {
	ns := m.time(r, impl)
	if m.sentences > 0 {
		return with(m.sentences*1e9/ns, " sentences/s")
	}
	return with(ns/1e6, " ms")
}

// modelTable compares the steps of the model with plain Go.
func modelTable(r *Results) string {
	var b strings.Builder
	b.WriteString("| | naive Go | AVX2 | AVX-512 | fastest against naive |\n| --- | --- | --- | --- | --- |\n")
	for _, m := range modelRows {
		naive, fastest := m.time(r, "naive"), math.Inf(1)
		for _, impl := range []string{"avx2", "avx512"} {
			if ns := m.time(r, impl); ns < fastest {
				fastest = ns
			}
		}
		if math.IsInf(fastest, 1) {
			continue
		}
		cells := []string{m.label, m.cell(r, "naive"), m.cell(r, "avx2"), m.cell(r, "avx512"), with(naive/fastest, " ×")}
		for _, cell := range cells {
			b.WriteString(strings.TrimRight("| "+cell, " ") + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}
