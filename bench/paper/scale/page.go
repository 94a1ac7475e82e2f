//go:build linux

package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"text/template"

	"github.com/klauspost/cpuid/v2"
	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/collective"
)

// pageText is the page without tables and numbers.
//
//go:embed page.tmpl
var pageText string

// write writes the page.
func (m *measurements) write(w io.Writer) error {
	t, err := template.New("page").Option("missingkey=error").Funcs(template.FuncMap{
		"digits": digits, "n": grouped, "texts": m.texts, "works": m.works, "parts": m.parts, "plans": m.plans, "checks": m.compared,
		"hours": func(kind, machines int, divide bool) string {
			return hours(m.machine(kind).plan(machines, paperUpdates, divide, networks[1].Link).total)
		},
		"longer": func(kind int) string {
			return hours(m.machine(kind).plan(1, longerUpdates, true, collective.Link{}).total)
		},
		"megabytes": func(pairs int) string {
			return digits((m.bytes[pairs] - 4*float64(m.dense)) / 1e6)
		},
		"minutes": func(kind int) string {
			return digits(testSentences * m.models[kind][1][beam].elapsed / translated / 60)
		},
	}).Parse(pageText)
	if err != nil {
		return err
	}
	largest, k := m.corpora[len(m.corpora)-1], m.machine(float32s)
	return t.Execute(w, map[string]any{
		"Machine": fmt.Sprintf("%d processors of %s with %s kernels", runtime.NumCPU(), cpuid.CPU.BrandName, kernels.Best()),
		"Network": networks[1].name, "Threads": threads[1], "Rounds": modelRounds, "Vocabulary": m.config.SourceVocab,
		"PaperUpdates": paperUpdates, "PaperHours": paperHours, "LongerUpdates": longerUpdates, "LongerHours": longerHours,
		"Sentences": bench.Sentences, "SentenceWords": bench.Words, "MaxWords": maxWords, "Merges": merges, "MaxSample": maxSample,
		"CorpusPairs": corpusPairs, "TestSentences": testSentences,
		"ValidationPairs": validationPairs, "ValidationUpdates": validationUpdates, "SaveMinutes": saveSeconds / 60,
		"Tokens": float64(largest.tokens) / float64(largest.pairs), "Words": float64(largest.words) / float64(largest.short),
		"Start": m.corpora[0].costs[fromCache].processor, "DenseMegabytes": float64(4*m.dense) / 1e6, "CopyGigabytes": 1e-9 / m.sum,
		"Text": hours(k.text), "Validation": hours(float64(paperUpdates/validationUpdates) * k.validation),
		"Fixed": digits(1e3 * m.models[float32s][1][oneWord].elapsed), "SmallUnits": m.small.Hidden, "SmallVocabulary": m.small.SourceVocab,
	})
}

// table returns a table.
func table(head []string, rows ...[]string) string {
	var b strings.Builder
	for i, row := range append([][]string{head}, rows...) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat(" --- |", len(head)))
		}
	}
	return b.String()
}

// texts returns the table of stages.
func (m *measurements) texts() string {
	largest := m.corpora[len(m.corpora)-1]
	whole := m.machine(float32s).plan(1, paperUpdates, true, collective.Link{}).total
	head := []string{"stage"}
	for _, c := range m.corpora {
		head = append(head, "µs a pair of "+grouped(c.pairs))
	}
	row := func(name string, stages ...string) []string {
		cells := []string{name}
		var sum, predicted float64
		var peak int64
		for _, c := range m.corpora {
			sum = 0
			for _, stage := range stages {
				sum += c.seconds(stage)
			}
			cells = append(cells, digits(1e6*sum/float64(c.pairs)))
		}
		for _, stage := range stages {
			predicted += secondsOf(m.corpora, stage, corpusPairs)
			peak = max(peak, largest.costs[stage].peak)
		}
		exponent := ""
		if len(stages) == 1 {
			exponent = fmt.Sprintf("%.2f", growth(m.corpora, stages[0]))
		}
		return append(cells, digits(1e9*sum/float64(largest.tokens)), exponent, digits(predicted), percent(predicted/whole), digits(float64(peak)/1e6))
	}
	var rows [][]string
	for _, stage := range toCache {
		rows = append(rows, row(stage, stage))
	}
	rows = append(rows, row("**text to cache**", toCache...))
	for _, stage := range []string{fromText, unzipping, reopening, fromCache, batching} {
		rows = append(rows, row(stage, stage))
	}
	return table(append(head, "ns a token", "exponent", "s for "+grouped(corpusPairs), "share", "peak MB"), rows...)
}

// works returns the table of what models do.
func (m *measurements) works() string {
	head := []string{"work, ms"}
	for _, kind := range kindNames {
		head = append(head, kind+", 1 thread", fmt.Sprintf("%s, %d threads", kind, threads[1]))
	}
	row := func(name string, per int, of func(costs) (cost, bool)) []string {
		cells := []string{name}
		for _, byThreads := range m.models {
			for i, c := range byThreads {
				cell := ""
				if took, ok := of(c); ok {
					cell = digits(1e3 * [...]float64{took.processor, took.elapsed}[i] / float64(per))
				}
				cells = append(cells, cell)
			}
		}
		return cells
	}
	work := func(name string) func(costs) (cost, bool) {
		return func(c costs) (cost, bool) { took, ok := c[name]; return took, ok }
	}
	var rows [][]string
	for _, n := range machines {
		rows = append(rows, row(updateOf(part(n))+", a pair", part(n), work(updateOf(part(n)))))
	}
	return table(head, append(rows,
		row("optimizer, an update", 1, work(stepping)),
		row("packing and norm, an update", 1, func(c costs) (cost, bool) {
			word, ok := c[oneWord]
			return cost{processor: word.processor - c[stepping].processor, elapsed: word.elapsed - c[stepping].elapsed}, ok
		}),
		row("checkpoint and model file", 1, work(saving)),
		row("loss in validation, a pair", validated, work(losing)),
		row("greedy translation, a sentence", validated, work(greedy)),
		row("translation with a beam of 12, a sentence", translated, work(beam)),
		row("peak memory of updates, GB", 1, func(c costs) (cost, bool) {
			took, ok := c[updateOf(bench.Sentences)]
			return cost{processor: float64(took.peak) / 1e12, elapsed: float64(took.peak) / 1e12}, ok
		}))...)
}

// parts returns the table of a training on one machine.
func (m *measurements) parts() string {
	var plans [2]plan
	for kind := range plans {
		plans[kind] = m.machine(kind).plan(1, paperUpdates, true, collective.Link{})
	}
	row := func(name, number string, of func(plan) float64) []string {
		cells := []string{name, number}
		for _, p := range plans {
			cells = append(cells, hours(of(p)), percent(of(p)/p.total))
		}
		return cells
	}
	return table([]string{"", "number", "float32, hours", "share", "bfloat16, hours", "share"},
		row("text and batches", "", func(p plan) float64 { return p.text }),
		row("updates", grouped(paperUpdates), func(p plan) float64 { return p.updates }),
		row("validations", grouped(paperUpdates/validationUpdates), func(p plan) float64 { return p.validations }),
		row("checkpoints", "", func(p plan) float64 { return p.saves }),
		row("**all**", "", func(p plan) float64 { return p.total }))
}

// plans returns the table of a training on several machines.
func (m *measurements) plans(divide bool) string {
	head := []string{"machines", "network"}
	for _, kind := range kindNames[:2] {
		head = append(head, kind+": update, s", "communication", "hours", "machine-hours")
	}
	var rows [][]string
	for _, n := range machines {
		list := networks
		if n == 1 {
			list = []network{{name: "none"}}
		}
		for _, net := range list {
			cells := []string{strconv.Itoa(n), net.name}
			for kind := range kindNames[:2] {
				p := m.machine(kind).plan(n, paperUpdates, divide, net.Link)
				cells = append(cells, digits(p.update), percent(p.communication), hours(p.total), hours(float64(n)*p.total))
			}
			rows = append(rows, cells)
		}
	}
	return table(head, rows...)
}

// compared returns the table of checks.
func (m *measurements) compared() string {
	var rows [][]string
	for _, c := range m.checks {
		rows = append(rows, []string{
			c.model, strconv.Itoa(c.ranks), strconv.Itoa(c.pairs / c.ranks), c.name,
			digits(c.measured.total), digits(c.calculated.update),
			percent(c.measured.exchange / c.measured.total), percent(c.calculated.exchange / c.calculated.update),
		})
	}
	return table([]string{"sizes", "ranks", "pairs a rank", "network", "update, s", "calculated", "communication", "calculated"}, rows...)
}

// digits returns a number with three digits, or all those before the point.
func digits(x float64) string {
	if x == 0 {
		return "0"
	}
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), 64)
}

func percent(share float64) string {
	const least = 1e-5
	if 0 < share && share < least {
		return "< 0.001 %"
	}
	return digits(100*share) + " %"
}

func hours(seconds float64) string { return digits(seconds / 3600) }

// grouped returns a number with a comma before every three digits.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
