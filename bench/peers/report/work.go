package report

import (
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/bench/peers/breakdown"
	"github.com/softsearch-go/softsearch/model"
)

// A work is what was measured of an operation.
type work struct {
	breakdown.Work
	ns         float64        // a quarter of the rounds took less
	peak, read float64        // a quarter of the rounds reached more
	all        breakdown.Part // the whole operation
	busy       float64        // the part of the time that its thread was on a processor
}

func newWork(measured breakdown.Work) work {
	w := work{Work: measured, all: breakdown.Part{Name: "all"}}
	var times, peaks, reads []float64
	total := 0.0
	for _, r := range w.Rounds {
		times, peaks, reads = append(times, r.Nanoseconds), append(peaks, -r.Peak), append(reads, -r.Read)
		total += float64(r.Operations) * r.Nanoseconds
	}
	for _, p := range w.Parts {
		w.all.Samples += p.Samples
		w.all.FLOP += p.FLOP
		w.all.Bytes += p.Bytes
	}
	w.ns, w.peak, w.read = quartile(times), -quartile(peaks), -quartile(reads)
	w.busy = float64(w.all.Samples) * float64(w.Period) / total
	return w
}

// quartile returns the lower quartile of x. On a machine that others load now and then it is close
// to the undisturbed value, and one lucky round does not decide it.
func quartile(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/4] }

// works lists the works of an operation.
func (r *Results) works(operation string) []work {
	var list []work
	for _, w := range r.Works {
		if w.Operation == operation {
			list = append(list, newWork(w))
		}
	}
	return list
}

// share is the part of the time that p takes.
func (w work) share(p breakdown.Part) float64 { return float64(p.Samples) / float64(w.all.Samples) }

// time is that of p in nanoseconds.
func (w work) time(p breakdown.Part) float64 { return w.share(p) * w.ns }

// rate returns what p does in a second, in which unit, and what share of the bound that is. It
// reports false for a part without samples and for one that has no bound. An operation whose
// parts have both is bound by arithmetic.
func (w work) rate(p breakdown.Part) (rate float64, unit string, share float64, ok bool) {
	switch {
	case p.Samples == 0 || p.FLOP == 0 && p.Bytes == 0:
		return 0, "", 0, false
	case p.FLOP > 0:
		rate = float64(p.FLOP) / w.time(p)
		return rate, "GFLOP/s", rate / w.peak, true
	}
	rate = float64(p.Bytes) / w.time(p)
	return rate, "GB/s", rate / w.read, true
}

// title says what was measured: "training update, small sizes, 2 threads".
func (w work) title() string {
	return operations[w.Operation] + ", " + w.setting()
}

// operations are the works as a reader calls them.
var operations = map[string]string{breakdown.Update: "training update", breakdown.Step: "decoder step"}

// setting is the sizes, what is of another precision than float32, and the threads.
func (w work) setting() string {
	sizes := w.Sizes + " sizes"
	if w.Sizes == "paper" {
		sizes = "the paper's sizes"
	}
	for _, precision := range []model.Precision{w.Weights, w.Precision} {
		if precision != model.Float32 {
			sizes += ", " + string(precision)
		}
	}
	if w.Threads == 1 {
		return sizes + ", 1 thread"
	}
	return fmt.Sprintf("%s, %d threads", sizes, w.Threads)
}

// duration returns nanoseconds in the unit that they are read in.
func duration(ns float64) string {
	switch {
	case ns >= 1e9:
		return figure(ns/1e9) + " s"
	case ns >= 1e6:
		return figure(ns/1e6) + " ms"
	}
	return figure(ns/1e3) + " µs"
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
