package evaluation

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/bootstrap"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
)

// text returns the scores as lines and tables.
func (o Options) text(in input) string {
	system := evaluate(in.system, in.references, o.Lowercase)
	var b strings.Builder
	for _, line := range system.lines() {
		fmt.Fprintln(&b, line)
	}
	if o.Confidence {
		b.WriteString(confidenceTable(system, o.Seed))
	}
	if o.Baseline != "" {
		b.WriteString(comparisonTable(system, evaluate(in.baseline, in.references, o.Lowercase), o.Seed))
	}
	if o.ByLength != "" {
		b.WriteString(lengthTable(system, in.byLength))
	}
	return b.String()
}

func confidenceTable(system *evaluation, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n95 %% confidence, %d bootstrap samples, seed %d:\n", bootstrap.Samples, seed)
	fmt.Fprintf(&b, "%-8s %8s %8s %8s\n", "", "score", "low", "high")
	all := system.all()
	for _, m := range system.metrics() {
		i := bootstrap.Confidence(len(all), seed, m.score)
		fmt.Fprintf(&b, "%-8s %8.2f %8.2f %8.2f\n", m.name, m.score(all), i.Low, i.High)
	}
	return b.String()
}

// comparisonTable returns the comparison of a system with a baseline by each metric.
func comparisonTable(system, baseline *evaluation, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ncompared with %s, %d paired bootstrap samples, seed %d:\n", terminal.Quote(baseline.name), bootstrap.Samples, seed)
	fmt.Fprintf(&b, "%-8s %8s %8s %10s %8s %8s %8s\n", "", "baseline", "score", "difference", "low", "high", "p")
	baselines := baseline.metrics()
	for i, m := range system.metrics() {
		c := bootstrap.Compare(len(system.words), seed, m.score, baselines[i].score)
		fmt.Fprintf(&b, "%-8s %8.2f %8.2f %+10.2f %+8.2f %+8.2f %8.4f\n",
			m.name, c.Baseline, c.System, c.System-c.Baseline, c.Interval.Low, c.Interval.High, c.P)
	}
	return b.String()
}

// lengthTable returns the scores of sentences grouped by the number of words in the same lines of
// a file.
func lengthTable(system *evaluation, file sentenceFile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nby words in %s:\n%-8s %9s", terminal.Quote(file.name), "words", "sentences")
	metrics := system.metrics()
	for _, m := range metrics {
		fmt.Fprintf(&b, " %8s", m.name)
	}
	b.WriteByte('\n')
	for _, bucket := range lengthBuckets(file) {
		fmt.Fprintf(&b, "%-8s %9d", bucket, len(bucket.Sentences))
		for _, m := range metrics {
			fmt.Fprintf(&b, " %8.2f", m.score(bucket.Sentences))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// lengthBuckets groups the lines of a file by their number of words.
func lengthBuckets(file sentenceFile) []bleu.Bucket {
	const width, limit = 10, 60
	lengths := make([]int, len(file.sentences))
	for i, words := range file.sentences {
		lengths[i] = len(words)
	}
	return bleu.ByLength(lengths, width, limit)
}
