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
	t := template.Must(template.New("page").Option("missingkey=error").Funcs(template.FuncMap{
		"digits": digits, "n": grouped, "hours": hours, "network": nameOf, "texts": m.texts, "works": m.works, "plans": m.plans,
		"share": func(x, of float64) string { return percent(x / of) },
		"plan": func(kind, machines, updates int, divide bool) plan {
			return m.plan(kind, machines, updates, divide, networks[1])
		},
		"megabytes": func(machines, pairs int) string {
			return digits(float64(m.updates[group{float32s, machines, pairs, networks[1]}].sent) / 1e6)
		},
		"minutes": func(kind int) string {
			return digits(testSentences * m.models[kind][1][beam].elapsed / translated / 60)
		},
	}).Parse(pageText))
	largest := m.corpora[len(m.corpora)-1]
	return t.Execute(w, map[string]any{
		"Machine": fmt.Sprintf("%d processors of %s with %s kernels", runtime.NumCPU(), cpuid.CPU.BrandName, kernels.Best()),
		"Network": networks[1], "Checks": m.checks, "Pairs": [...]int{m.corpora[0].pairs, m.corpora[1].pairs, largest.pairs}, "Threads": threads[1], "Rounds": modelRounds, "Vocabulary": m.config.SourceVocab,
		"PaperUpdates": paperUpdates, "LongerUpdates": longerUpdates,
		"Sentences": bench.Sentences, "SentenceWords": bench.Words, "MaxWords": maxWords, "Merges": merges, "MaxSample": maxSample,
		"CorpusPairs": corpusPairs, "TestSentences": testSentences,
		"ValidationPairs": validationPairs, "ValidationUpdates": validationUpdates, "Validations": paperUpdates / validationUpdates, "SaveMinutes": saveSeconds / 60,
		"Tokens": float64(largest.tokens) / float64(largest.pairs), "Words": float64(largest.words) / float64(largest.short),
		"Start": m.corpora[0].costs[fromCache].processor,
		"Fixed": digits(1e3 * m.models[float32s][1][oneWord].elapsed), "SmallUnits": m.small.Hidden, "SmallVocabulary": m.small.SourceVocab,
	})
}

// A row of a table is the texts of its cells.
type row []string

func (r row) String() string { return "| " + strings.Join(r, " | ") + " |" }

// texts returns the rows of the stages.
func (m *measurements) texts() (rows []row) {
	largest := m.corpora[len(m.corpora)-1]
	whole := m.plan(float32s, 1, paperUpdates, true, collective.Link{}).Total
	add := func(name string, stages ...string) {
		cells := row{name}
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
		rows = append(rows, append(cells, digits(1e9*sum/float64(largest.tokens)), exponent, digits(predicted), percent(predicted/whole), digits(float64(peak)/1e6)))
	}
	for _, stage := range toCache {
		add(stage, stage)
	}
	add("**text to cache**", toCache...)
	for _, stage := range []string{fromText, unzipping, reopening, fromCache, batching} {
		add(stage, stage)
	}
	return rows
}

// works returns the rows of what models do.
func (m *measurements) works() (rows []row) {
	add := func(name, work string, figure func(thread int, c costs) float64) {
		cells := row{name}
		for _, byThreads := range m.models {
			for i, c := range byThreads {
				cell := ""
				if _, ok := c[work]; ok {
					cell = digits(figure(i, c))
				}
				cells = append(cells, cell)
			}
		}
		rows = append(rows, cells)
	}
	milliseconds := func(i int, c cost) float64 { return 1e3 * [...]float64{c.processor, c.elapsed}[i] }
	work := func(name, work string, per int) {
		add(name, work, func(i int, c costs) float64 { return milliseconds(i, c[work]) / float64(per) })
	}
	for _, n := range machines {
		work(updateOf(part(n))+", a pair", updateOf(part(n)), part(n))
	}
	work("optimizer, an update", stepping, 1)
	add("packing and norm, an update", oneWord, func(i int, c costs) float64 { return milliseconds(i, c[oneWord]) - milliseconds(i, c[stepping]) })
	work("checkpoint and model file", saving, 1)
	work("loss in validation, a pair", losing, validated)
	work("greedy translation, a sentence", greedy, validated)
	work("translation with a beam of 12, a sentence", beam, translated)
	whole := updateOf(bench.Sentences)
	add("peak memory of updates, GB", whole, func(_ int, c costs) float64 { return float64(c[whole].peak) / 1e9 })
	return rows
}

// plans returns the rows of a training on several machines.
func (m *measurements) plans(divide bool) (rows []row) {
	for _, n := range machines {
		list := networks
		if n == 1 {
			list = []collective.Link{{}}
		}
		for _, link := range list {
			cells := row{strconv.Itoa(n), nameOf(link)}
			for kind := range int8s { // which do not train
				p := m.plan(kind, n, paperUpdates, divide, link)
				cells = append(cells, digits(p.Update), percent(p.Communication), hours(p.Total), hours(float64(n)*p.Total))
			}
			rows = append(rows, cells)
		}
	}
	return rows
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
