// Package evaluation compares translations with reference translations by BLEU and chrF2.
//
// [Options.Report] reads all files, counts the n-grams of each sentence once, and scores the corpus,
// its bootstrap samples and its sentences by length from these counts.
package evaluation

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/bootstrap"
	"github.com/softsearch-go/softsearch/model/chrf"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/text"
)

// Options say what to compare, and what to report beside the scores.
type Options struct {
	References []string // files
	Baseline   string   // file of another system's translations, or empty
	ByLength   string   // file whose lines group the sentences by their number of words, or empty
	Confidence bool     // report confidence intervals
	Lowercase  bool
	JSON       bool   // not lines and tables
	Seed       uint64 // of the bootstrap samples
}

// Report compares the translations in stdin and returns what to print.
func (o Options) Report(stdin io.Reader) (string, error) {
	in, err := o.read(stdin)
	if err != nil {
		return "", err
	}
	if o.JSON {
		return o.json(in), nil
	}
	return o.text(in), nil
}

// An evaluation holds the n-gram counts of each sentence of a system.
type evaluation struct {
	name       string            // of the file
	references int               // per sentence
	words      []bleu.Statistics // of the words as they are
	tokens     []bleu.Statistics // of the tokens of 13a
	characters []chrf.Statistics
	lowercase  bool
}

// evaluate compares each sentence of a system with the same lines of the references, lowercased or as
// they are.
func evaluate(system sentenceFile, references []sentenceFile, lowercase bool) *evaluation {
	n, k := len(system.sentences), len(references)
	e := &evaluation{system.name, k, make([]bleu.Statistics, n), make([]bleu.Statistics, n), make([]chrf.Statistics, n), lowercase}
	cased := func(words []string) string {
		line := strings.Join(words, " ")
		if lowercase {
			return lower.String(line)
		}
		return line
	}
	words, tokens, lines := make([][]string, k), make([][]string, k), make([]string, k)
	for i, hypothesis := range system.sentences {
		for r, file := range references {
			lines[r] = cased(file.sentences[i])
			words[r] = text.Tokens(lines[r])
			tokens[r] = bleu.Tokenize13a(lines[r])
		}
		line := cased(hypothesis)
		e.words[i].Add(text.Tokens(line), words...)
		e.tokens[i].Add(bleu.Tokenize13a(line), tokens...)
		e.characters[i].Add(line, lines...)
	}
	return e
}

// lower maps to lower case as Python does, with the final sigma.
var lower = cases.Lower(language.Und)

// lines returns the scores of the corpus in the formats of their tools.
func (e *evaluation) lines() []string {
	all := e.all()
	lines := []string{
		sum(e.words, all).String(),
		sum(e.tokens, all).SacreBLEU(e.references),
		sum(e.characters, all).SacreBLEU(e.references),
	}
	if e.lowercase {
		for i, line := range lines {
			lines[i] = strings.Replace(line, "|case:mixed|", "|case:lc|", 1)
		}
	}
	return lines
}

type metric struct {
	name  string
	score bootstrap.Score
}

// metrics returns the metrics of the system, in the order of lines.
func (e *evaluation) metrics() []metric {
	return []metric{
		{"BLEU", func(sentences []int) float64 { return sum(e.words, sentences).BLEU() }},
		{"BLEU 13a", func(sentences []int) float64 { return sum(e.tokens, sentences).Smoothed() }},
		{"chrF2", func(sentences []int) float64 { return sum(e.characters, sentences).ChrF2() }},
	}
}

func (e *evaluation) all() []int {
	indices := make([]int, len(e.words))
	for i := range indices {
		indices[i] = i
	}
	return indices
}

// statistics is the method set of bleu.Statistics and chrf.Statistics that sum needs. P in sum is
// inferred as *S.
type statistics[S any] interface {
	*S
	Merge(*S)
}

// sum returns the statistics of the sentences with these indices as a corpus.
func sum[S any, P statistics[S]](each []S, sentences []int) P {
	total := P(new(S))
	for _, i := range sentences {
		total.Merge(&each[i])
	}
	return total
}

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

func lengthBuckets(file sentenceFile) []bleu.Bucket {
	const width, limit = 10, 60
	lengths := make([]int, len(file.sentences))
	for i, words := range file.sentences {
		lengths[i] = len(words)
	}
	return bleu.ByLength(lengths, width, limit)
}
