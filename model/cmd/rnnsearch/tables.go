package main

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/bootstrap"
)

// confidenceTable returns the confidence interval of each measure.
func confidenceTable(system *judgement, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n95 %% confidence, %d bootstrap samples, seed %d:\n", bootstrap.Samples, seed)
	fmt.Fprintf(&b, "%-8s %8s %8s %8s\n", "", "score", "low", "high")
	all := system.all()
	for _, m := range system.measures() {
		i := bootstrap.Confidence(len(all), seed, m.score)
		fmt.Fprintf(&b, "%-8s %8.2f %8.2f %8.2f\n", m.name, m.score(all), i.Low, i.High)
	}
	return b.String()
}

// comparisonTable compares a system with a baseline by each measure.
func comparisonTable(system, baseline *judgement, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ncompared with %s, %d paired bootstrap samples, seed %d:\n", baseline.name, bootstrap.Samples, seed)
	fmt.Fprintf(&b, "%-8s %8s %8s %10s %8s %8s %8s\n", "", "baseline", "score", "difference", "low", "high", "p")
	others := baseline.measures()
	for i, m := range system.measures() {
		c := bootstrap.Compare(len(system.words), seed, m.score, others[i].score)
		fmt.Fprintf(&b, "%-8s %8.2f %8.2f %+10.2f %+8.2f %+8.2f %8.4f\n",
			m.name, c.Baseline, c.System, c.System-c.Baseline, c.Interval.Low, c.Interval.High, c.P)
	}
	return b.String()
}
