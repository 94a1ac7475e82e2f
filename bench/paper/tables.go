package main

import (
	"fmt"
	"strings"
)

// tables are the tables of the page by the names of their markers. Each is made from a folder.
var tables = map[string]func(folder string) (string, error){
	"table1": ofResult(table1), "table2": ofResult(table2), "figure2": ofResult(figure2), "machine": ofResult(machineLine),
	"published": published,
}

// ofResult returns the table that an experiment's result and logs give.
func ofResult(table func(r *result, summaries []summary) string) func(folder string) (string, error) {
	return func(folder string) (string, error) {
		r, summaries, err := readResult(folder)
		if err != nil {
			return "", err
		}
		return table(r, summaries), nil
	}
}

// paper has the BLEU of the paper's Table 1, in the order of systems.
var paper = []struct {
	name       string
	all, known float64
}{
	{"RNNencdec-30", 13.93, 24.19},
	{"RNNsearch-30", 21.50, 31.44},
	{"RNNencdec-50", 17.82, 26.71},
	{"RNNsearch-50", 26.75, 34.16},
}

// table1 compares BLEU with that of the paper.
func table1(r *result, _ []summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| model | all %d texts | %d without unknown words | the paper's | all | no UNK |\n| --- | --- | --- | --- | --- | --- |\n",
		r.Systems[0].All.Sentences, r.Systems[0].Known.Sentences)
	for i, s := range r.Systems {
		p := paper[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.2f | %.2f |\n", s.name(), s.All, s.Known, p.name, p.all, p.known)
	}
	return b.String()
}

// String returns BLEU and its interval.
func (s score) String() string { return fmt.Sprintf("%.2f (%.1f–%.1f)", s.BLEU, s.Low, s.High) }

// table2 says what the trainings took and came to.
func table2(r *result, summaries []summary) string {
	var b strings.Builder
	b.WriteString("| model | weights | pairs | updates | epochs | minutes | sentences/s | training loss | validation loss |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for i, s := range r.Systems {
		t := summaries[i]
		epochs := float64(t.updates*r.Batch) / float64(s.Pairs)
		fmt.Fprintf(&b, "| %s | %.2f M | %d | %d | %.1f | %.1f | %.0f | %.3f | %.3f |\n",
			s.name(), float64(s.Weights)/1e6, s.Pairs, t.updates, epochs, 60*t.hours, t.speed, t.train, t.validation)
	}
	return b.String()
}

// figure2 is the table of BLEU by length.
func figure2(r *result, _ []summary) string {
	var b strings.Builder
	b.WriteString("| words of the source | texts |")
	for _, s := range r.Systems {
		fmt.Fprintf(&b, " %s |", s.name())
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(r.Systems)) + "\n")
	for i, l := range r.Systems[0].Lengths {
		words := fmt.Sprintf("%d–%d", l.First, l.First+rangeWords-1)
		if l.First == lastRange*rangeWords+1 {
			words = fmt.Sprintf("%d and more", l.First)
		}
		fmt.Fprintf(&b, "| %s | %d |", words, l.Sentences)
		for _, s := range r.Systems {
			fmt.Fprintf(&b, " %s |", s.Lengths[i].score)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// machineLine says on what and when the experiment ran, and how long the trainings took.
func machineLine(r *result, summaries []summary) string {
	hours := 0.0
	for _, s := range summaries {
		hours += s.hours
	}
	return fmt.Sprintf("%s, %s: %.0f minutes of training in all.\n", r.Machine, r.Date, 60*hours)
}
