// Package evaluation compares translations with reference translations by BLEU and chrF2.
//
// [Options.Report] reads all files, counts the n-grams of each sentence once, and scores the corpus,
// its bootstrap samples and its sentences by length from these counts.
package evaluation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/score"
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
func (o Options) Report(ctx context.Context, stdin io.Reader) (string, error) {
	in, err := o.read(ctx, stdin)
	if err != nil {
		return "", err
	}
	list := o.compare(in)
	if !o.JSON {
		return o.text(in, list), nil
	}
	content, err := json.MarshalIndent(list, "", "  ")
	return string(content) + "\n", err
}

// An evaluation holds the n-gram counts of each sentence of a system.
type evaluation struct {
	name       string                 // of the file
	references int                    // per sentence
	words      []score.BLEUStatistics // of the words as they are
	tokens     []score.BLEUStatistics // of the tokens of 13a
	characters []score.ChrFStatistics
	lowercase  bool
}

// evaluate compares each sentence of a system with the same lines of the references, lowercased or as
// they are.
func evaluate(system sentenceFile, references []sentenceFile, lowercase bool) *evaluation {
	n, k := len(system.sentences), len(references)
	e := &evaluation{system.name, k, make([]score.BLEUStatistics, n), make([]score.BLEUStatistics, n), make([]score.ChrFStatistics, n), lowercase}
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
			tokens[r] = score.Tokenize13a(lines[r])
		}
		line := cased(hypothesis)
		e.words[i].Add(text.Tokens(line), words...)
		e.tokens[i].Add(score.Tokenize13a(line), tokens...)
		e.characters[i].Add(line, lines...)
	}
	return e
}

// lower maps to lower case as Python does, with the final sigma.
var lower = cases.Lower(language.Und)

// A metric is one of the scores of a corpus. The names in JSON up to space are sacreBLEU's.
type metric struct {
	Name           string  `json:"name"`
	Score          decimal `json:"score"`
	Signature      string  `json:"signature"`
	Verbose        string  `json:"verbose_score,omitempty"` // how the score comes about
	References     string  `json:"nrefs"`
	Case           string  `json:"case"`
	Effective      string  `json:"eff"`
	Tokens         string  `json:"tok,omitempty"`
	Smoothing      string  `json:"smooth,omitempty"`
	CharacterOrder string  `json:"nc,omitempty"`
	WordOrder      string  `json:"nw,omitempty"`
	Space          string  `json:"space,omitempty"`

	*confidence
	*comparison
	*sampling
	ByLength []lengthScore `json:"by_length,omitempty"`

	title, line string      // of tables, and in the format of the tool that defines it
	score       score.Score // of the sentences with these indices
}

type confidence struct {
	Low  decimal `json:"confidence_low"`
	High decimal `json:"confidence_high"`
}

type comparison struct {
	Baseline       decimal `json:"baseline_score"`
	Difference     decimal `json:"difference"`
	DifferenceLow  decimal `json:"difference_low"`
	DifferenceHigh decimal `json:"difference_high"`
	P              float64 `json:"p_value"`
}

type sampling struct {
	Samples int    `json:"samples"`
	Seed    uint64 `json:"seed"`
}

type lengthScore struct {
	Words     string  `json:"words"`
	Sentences int     `json:"sentences"`
	Score     decimal `json:"score"`
}

// A decimal has two decimals in JSON.
type decimal float64

func (d decimal) MarshalJSON() ([]byte, error) { return json.Marshal(rounded(float64(d), 2)) }

// rounded returns the number that v is printed as with so many decimals, and no -0.
func rounded(v float64, decimals int) float64 {
	n, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', decimals, 64), 64)
	return n + 0
}

// metrics returns the scores of the corpus.
func (e *evaluation) metrics() []metric {
	all := e.all()
	words, tokens, characters := sum(e.words, all), sum(e.tokens, all), sum(e.characters, all)
	list := []metric{
		{Name: "BLEU", title: "BLEU", line: words.String(), Effective: "no", Tokens: "none", Smoothing: "none",
			score: func(sentences []int) float64 { return sum(e.words, sentences).BLEU() }},
		{Name: "BLEU", title: "BLEU 13a", line: tokens.SacreBLEU(e.references), Effective: "no", Tokens: "13a", Smoothing: "exp",
			score: func(sentences []int) float64 { return sum(e.tokens, sentences).Smoothed() }},
		{Name: "chrF2", title: "chrF2", line: characters.SacreBLEU(e.references), Effective: "yes", CharacterOrder: "6", WordOrder: "0", Space: "no",
			score: func(sentences []int) float64 { return sum(e.characters, sentences).ChrF2() }},
	}
	for i := range list {
		m := &list[i]
		m.Score, m.References, m.Case = decimal(m.score(all)), strconv.Itoa(e.references), "mixed"
		if e.lowercase {
			m.Case, m.line = "lc", strings.Replace(m.line, "|case:mixed|", "|case:lc|", 1)
		}
		m.Signature = fmt.Sprintf("nrefs:%s|case:%s|eff:%s|", m.References, m.Case, m.Effective)
		if m.Tokens != "" {
			m.Signature += fmt.Sprintf("tok:%s|smooth:%s", m.Tokens, m.Smoothing)
		} else {
			m.Signature += fmt.Sprintf("nc:%s|nw:%s|space:%s", m.CharacterOrder, m.WordOrder, m.Space)
		}
		_, value, _ := strings.Cut(m.line, " = ")
		_, m.Verbose, _ = strings.Cut(value, " ")
	}
	return list
}

func (e *evaluation) all() []int {
	indices := make([]int, len(e.words))
	for i := range indices {
		indices[i] = i
	}
	return indices
}

// statistics is the method set of score.BLEUStatistics and score.ChrFStatistics that sum needs. P in sum is
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

// compare returns the scores, with what the options ask for.
func (o Options) compare(in input) []metric {
	list, n := evaluate(in.system, in.references, o.Lowercase).metrics(), len(in.system.sentences)
	var baselines []metric
	if o.Baseline != "" {
		baselines = evaluate(in.baseline, in.references, o.Lowercase).metrics()
	}
	for i := range list {
		m := &list[i]
		if o.Confidence {
			c := score.Confidence(n, o.Seed, m.score)
			m.confidence = &confidence{decimal(c.Low), decimal(c.High)}
		}
		if baselines != nil {
			c := score.Compare(n, o.Seed, m.score, baselines[i].score)
			m.comparison = &comparison{decimal(c.Baseline), decimal(c.System - c.Baseline), decimal(c.Interval.Low), decimal(c.Interval.High), rounded(c.P, 4)}
		}
		if o.Confidence || baselines != nil {
			m.sampling = &sampling{score.Samples, o.Seed}
		}
		if o.ByLength != "" {
			for _, b := range lengthBuckets(in.byLength) {
				m.ByLength = append(m.ByLength, lengthScore{b.String(), len(b.Sentences), decimal(m.score(b.Sentences))})
			}
		}
	}
	return list
}

// text returns the scores as lines and tables.
func (o Options) text(in input, list []metric) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintln(&b, m.line)
	}
	if o.Confidence {
		fmt.Fprintf(&b, "\n95 %% confidence, %d bootstrap samples, seed %d:\n", score.Samples, o.Seed)
		fmt.Fprintf(&b, "%-8s %8s %8s %8s\n", "", "score", "low", "high")
		for _, m := range list {
			fmt.Fprintf(&b, "%-8s %8.2f %8.2f %8.2f\n", m.title, m.Score, m.Low, m.High)
		}
	}
	if o.Baseline != "" {
		fmt.Fprintf(&b, "\ncompared with %s, %d paired bootstrap samples, seed %d:\n", terminal.Quote(in.baseline.name), score.Samples, o.Seed)
		fmt.Fprintf(&b, "%-8s %8s %8s %10s %8s %8s %8s\n", "", "baseline", "score", "difference", "low", "high", "p")
		for _, m := range list {
			fmt.Fprintf(&b, "%-8s %8.2f %8.2f %+10.2f %+8.2f %+8.2f %8.4f\n", m.title, m.Baseline, m.Score, m.Difference, m.DifferenceLow, m.DifferenceHigh, m.P)
		}
	}
	if o.ByLength != "" {
		fmt.Fprintf(&b, "\nby words in %s:\n%-8s %9s", terminal.Quote(in.byLength.name), "words", "sentences")
		for _, m := range list {
			fmt.Fprintf(&b, " %8s", m.title)
		}
		b.WriteByte('\n')
		for i, l := range list[0].ByLength {
			fmt.Fprintf(&b, "%-8s %9d", l.Words, l.Sentences)
			for _, m := range list {
				fmt.Fprintf(&b, " %8.2f", m.ByLength[i].Score)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func lengthBuckets(file sentenceFile) []score.Bucket {
	const width, limit = 10, 60
	lengths := make([]int, len(file.sentences))
	for i, words := range file.sentences {
		lengths[i] = len(words)
	}
	return score.ByLength(lengths, width, limit)
}

// An input holds the files that are compared. All have the same number of lines.
type input struct {
	system     sentenceFile
	references []sentenceFile
	baseline   sentenceFile // empty without --baseline
	byLength   sentenceFile // empty without --by-length
}

type sentenceFile struct {
	name      string
	sentences [][]string
}

// read reads the files, and then the translations from stdin.
func (o Options) read(ctx context.Context, stdin io.Reader) (in input, err error) {
	const mayBeEmpty, neverEmpty = true, false
	for _, path := range o.References {
		reference, err := openSentences(ctx, path, neverEmpty)
		if err != nil {
			return in, err
		}
		in.references = append(in.references, reference)
	}
	if o.Baseline != "" {
		if in.baseline, err = openSentences(ctx, o.Baseline, mayBeEmpty); err != nil {
			return in, err
		}
	}
	if o.ByLength != "" {
		if in.byLength, err = openSentences(ctx, o.ByLength, neverEmpty); err != nil {
			return in, err
		}
	}
	if err := checkLineCounts(append(in.references, in.baseline, in.byLength)); err != nil {
		return in, err
	}
	translations := files.NewInput(ctx, files.StandardInput, stdin)
	defer translations.Close()
	if in.system, err = readSentences(translations, mayBeEmpty); err != nil {
		return in, err
	}
	return in, checkLineCounts([]sentenceFile{in.references[0], in.system})
}

func openSentences(ctx context.Context, path string, mayBeEmpty bool) (sentenceFile, error) {
	in, err := files.Open(ctx, path)
	if err != nil {
		return sentenceFile{}, err
	}
	defer in.Close()
	return readSentences(in, mayBeEmpty)
}

// readSentences reads one sentence per line. A bad line is an error, and so is an empty one unless
// lines may be empty; no line is one in any case.
func readSentences(in *files.Input, mayBeEmpty bool) (sentenceFile, error) {
	f := sentenceFile{name: in.Name()}
	for lines := files.NewLines(in); ; {
		line, err := lines.Next()
		switch {
		case err == io.EOF && f.sentences == nil:
			return f, lines.Empty()
		case err == io.EOF:
			return f, nil
		case err != nil:
			return f, err
		case line.Bad != nil:
			return f, files.LineError(f.name, line.Number, line.Bad)
		}
		words := text.Tokens(line.Text)
		if len(words) == 0 && !mayBeEmpty {
			return f, files.LineError(f.name, line.Number, fmt.Errorf("%w, expected a sentence", text.ErrEmptyLine))
		}
		f.sentences = append(f.sentences, words)
	}
}

// checkLineCounts returns an error for the first file that does not have as many lines as
// files[0]. It ignores empty files.
func checkLineCounts(files []sentenceFile) error {
	want := files[0]
	for _, f := range files {
		if f.sentences != nil && len(f.sentences) != len(want.sentences) {
			return fmt.Errorf("%w: %s has %d, %s has %d, expected the same",
				text.ErrLineCount, f.name, len(f.sentences), want.name, len(want.sentences))
		}
	}
	return nil
}
