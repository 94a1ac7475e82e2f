// Package evaluation compares translations with reference translations by BLEU and chrF2.
//
// [Options.Report] reads all files, counts the n-grams of each sentence once, and scores the corpus,
// its bootstrap samples and its sentences by length from these counts.
package evaluation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
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
	score score.Score
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
	fmt.Fprintf(&b, "\n95 %% confidence, %d bootstrap samples, seed %d:\n", score.Samples, seed)
	fmt.Fprintf(&b, "%-8s %8s %8s %8s\n", "", "score", "low", "high")
	all := system.all()
	for _, m := range system.metrics() {
		i := score.Confidence(len(all), seed, m.score)
		fmt.Fprintf(&b, "%-8s %8.2f %8.2f %8.2f\n", m.name, m.score(all), i.Low, i.High)
	}
	return b.String()
}

func comparisonTable(system, baseline *evaluation, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ncompared with %s, %d paired bootstrap samples, seed %d:\n", terminal.Quote(baseline.name), score.Samples, seed)
	fmt.Fprintf(&b, "%-8s %8s %8s %10s %8s %8s %8s\n", "", "baseline", "score", "difference", "low", "high", "p")
	baselines := baseline.metrics()
	for i, m := range system.metrics() {
		c := score.Compare(len(system.words), seed, m.score, baselines[i].score)
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

func lengthBuckets(file sentenceFile) []score.Bucket {
	const width, limit = 10, 60
	lengths := make([]int, len(file.sentences))
	for i, words := range file.sentences {
		lengths[i] = len(words)
	}
	return score.ByLength(lengths, width, limit)
}

// json returns the scores as JSON, rounded like those of text. The names up to space are those of
// sacreBLEU.
func (o Options) json(in input) string {
	system := evaluate(in.system, in.references, o.Lowercase)
	var baselines []metric
	if o.Baseline != "" {
		baselines = evaluate(in.baseline, in.references, o.Lowercase).metrics()
	}
	lines, all := system.lines(), system.all()
	_, of13a, _, _ := parseScore(lines[1])
	letterCase := strings.Split(of13a, "|")[1]
	scores := make([]object, len(lines))
	for i, m := range system.metrics() {
		name, signature, percent, verbose := parseScore(lines[i])
		if signature == "" { // the format of multi-bleu.perl has none
			signature = fmt.Sprintf("nrefs:%d|%s|eff:no|tok:none|smooth:none", system.references, letterCase)
		}
		s := object{{"name", name}, {"score", percent}, {"signature", signature}}
		if verbose != "" {
			s = append(s, member{"verbose_score", verbose})
		}
		for part := range strings.SplitSeq(signature, "|") {
			key, value, _ := strings.Cut(part, ":")
			s = append(s, member{key, value})
		}
		if o.Confidence {
			c := score.Confidence(len(all), o.Seed, m.score)
			s = append(s, member{"confidence_low", rounded(c.Low, 2)}, member{"confidence_high", rounded(c.High, 2)})
		}
		if baselines != nil {
			c := score.Compare(len(all), o.Seed, m.score, baselines[i].score)
			s = append(s, member{"baseline_score", rounded(c.Baseline, 2)}, member{"difference", rounded(c.System-c.Baseline, 2)},
				member{"difference_low", rounded(c.Interval.Low, 2)}, member{"difference_high", rounded(c.Interval.High, 2)}, member{"p_value", rounded(c.P, 4)})
		}
		if o.Confidence || baselines != nil {
			s = append(s, member{"samples", score.Samples}, member{"seed", o.Seed})
		}
		if o.ByLength != "" {
			var lengths []object
			for _, bucket := range lengthBuckets(in.byLength) {
				lengths = append(lengths, object{{"words", bucket.String()}, {"sentences", len(bucket.Sentences)}, {"score", rounded(m.score(bucket.Sentences), 2)}})
			}
			s = append(s, member{"by_length", lengths})
		}
		scores[i] = s
	}
	content, err := json.MarshalIndent(scores, "", "  ")
	if err != nil {
		panic(err) // scores are finite
	}
	return string(content) + "\n"
}

// An object is a JSON object with its members in their order.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], m.key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// parseScore returns the parts of a line of evaluation.lines: a name, a signature or none, the score
// and how it comes about.
func parseScore(line string) (name, signature string, score float64, verbose string) {
	name, value, _ := strings.Cut(line, " = ")
	name, signature, _ = strings.Cut(name, "|")
	number, verbose, _ := strings.Cut(value, " ")
	score, err := strconv.ParseFloat(strings.TrimSuffix(number, ","), 64)
	if err != nil {
		panic(err) // lines have numbers
	}
	return name, signature, score, verbose
}

// rounded returns the number that v is printed as with so many decimals.
func rounded(v float64, decimals int) float64 {
	n, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', decimals, 64), 64)
	if err != nil || n == 0 {
		return math.Abs(n) // no -0
	}
	return n
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
func (o Options) read(stdin io.Reader) (in input, err error) {
	const mayBeEmpty, neverEmpty = true, false
	for _, path := range o.References {
		reference, err := openSentences(path, neverEmpty)
		if err != nil {
			return in, err
		}
		in.references = append(in.references, reference)
	}
	if o.Baseline != "" {
		if in.baseline, err = openSentences(o.Baseline, mayBeEmpty); err != nil {
			return in, err
		}
	}
	if o.ByLength != "" {
		if in.byLength, err = openSentences(o.ByLength, neverEmpty); err != nil {
			return in, err
		}
	}
	if err := checkLineCounts(append(in.references, in.baseline, in.byLength)); err != nil {
		return in, err
	}
	translations := files.NewInput(files.StandardInput, stdin)
	defer translations.Close()
	if in.system, err = readSentences(translations, mayBeEmpty); err != nil {
		return in, err
	}
	return in, checkLineCounts([]sentenceFile{in.references[0], in.system})
}

func openSentences(path string, mayBeEmpty bool) (sentenceFile, error) {
	in, err := files.Open(path)
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
