package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/softsearch-go/softsearch/bench/peers/breakdown"
)

// WriteWork writes a work as a table for a terminal.
func WriteWork(out io.Writer, measured breakdown.Work) error {
	w := newWork(measured)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s, %s: %s\n", w.title(), w.Implementation, bound(w))
	for _, p := range append(w.Parts, w.all) {
		if p.Samples > 0 {
			fmt.Fprintf(t, "%s\t%s\t%.1f %%\t%s\t\n", p.Name, duration(w.time(p)), 100*w.share(p), rateOf(w, p))
		}
	}
	fmt.Fprintf(t, "on a processor for %s of the time\n\n", percent(w.busy))
	return t.Flush()
}

// bound says what the machine does at most.
func bound(w work) string {
	if w.Operation == breakdown.Step {
		return fmt.Sprintf("%s GB/s of weights read", figure(w.read))
	}
	return fmt.Sprintf("%s GFLOP/s, %s GB/s of memory read", figure(w.peak), figure(w.read))
}

// whereTimeGoes is the machine and a table of each operation.
func whereTimeGoes(r *Results) string {
	text := fmt.Sprintf("%s (%s), %s, %s, %s.", r.Fact("cpu"), r.Fact("caches"), r.Fact("os"), r.Fact("go"), r.Fact("date"))
	if bytes, err := strconv.ParseFloat(r.Fact("memory"), 64); err == nil {
		text += fmt.Sprintf(" An update on sentences of %d words at the paper's sizes takes %s GB of memory.", breakdown.LongWords, figure(bytes/1e9))
	}
	if len(r.Works) > 0 {
		text += " Kernels: " + r.Works[0].Implementation + "."
	}
	text += "\n"
	for _, operation := range []string{breakdown.Update, breakdown.Step} {
		if list := r.works(operation); len(list) > 0 {
			text += "\n" + partsTable(operation, list)
		}
	}
	return text
}

// partsTable has a row for each part that takes time, one for all and one for the bounds.
func partsTable(operation string, list []work) string {
	var b strings.Builder
	row := func(label string, cells func(w work) (time, rate string)) {
		b.WriteString("| " + label + " |")
		for _, w := range list {
			time, rate := cells(w)
			b.WriteString(strings.TrimRight(" "+time, " ") + " |" + strings.TrimRight(" "+rate, " ") + " |")
		}
		b.WriteString("\n")
	}
	row(operations[operation], func(w work) (time, rate string) { return w.setting(), "of the bound" })
	row("---", func(work) (time, rate string) { return "---", "---" })
	for i, p := range list[0].Parts {
		if slices.ContainsFunc(list, func(w work) bool { return w.Parts[i].Samples > 0 }) {
			row(p.Name, func(w work) (time, rate string) {
				return fmt.Sprintf("%.1f %%", 100*w.share(w.Parts[i])), rateOf(w, w.Parts[i])
			})
		}
	}
	row("all", func(w work) (time, rate string) { return duration(w.ns), rateOf(w, w.all) })
	row("bound", func(w work) (time, rate string) { return "", bound(w) })
	return b.String()
}

// rateOf returns the rate of a part and its share of the bound, "" for a part without one.
func rateOf(w work, p breakdown.Part) string {
	rate, unit, share, ok := w.rate(p)
	if !ok {
		return ""
	}
	return figure(rate) + " " + unit + ", " + percent(share)
}
