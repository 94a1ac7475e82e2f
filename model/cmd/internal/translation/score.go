package translation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A Scoring reads the pairs of two files and scores them.
type Scoring struct {
	Source, Target string // files
	Threads        int
}

// Run scores the pairs by the model at path and writes them to out, with each word if words is true,
// and the totals to stderr. The output is complete even if the error tells of bad pairs.
func (s Scoring) Run(ctx context.Context, path string, words bool, out *files.Output, stderr io.Writer) error {
	m, err := models.OpenModel(path)
	if err != nil {
		return err
	}
	bad := &terminal.Warnings{W: stderr, Treatment: "scored as -inf"}
	pairs, err := s.read(ctx, m, bad)
	if err != nil {
		return err
	}
	scores, err := s.score(ctx, m, pairs, bad, terminal.ProgressOn(stderr))
	if err != nil {
		return err
	}
	if err := writeScores(out, scores, words); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if bad.N < len(scores) {
		fmt.Fprintln(stderr, totals(scores))
	}
	return bad.Failure(s.Source+", "+s.Target, len(scores))
}

// read returns the pairs in the text of m, and warns about bad ones.
func (s Scoring) read(ctx context.Context, m *model.Model, bad *terminal.Warnings) ([]Pair, error) {
	pairs, err := ReadPairs(ctx, m, s.Source, s.Target, asTranslation)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		if p.Bad != nil {
			bad.Add(p.Bad)
		}
	}
	return pairs, nil
}

// A scoredPair is a pair and its score, unless it is a bad one.
type scoredPair struct {
	Pair
	decode.Translation
}

// score returns the scores of the pairs by m, in their order. It warns about those that are too long
// for the memory.
func (s Scoring) score(ctx context.Context, m *model.Model, pairs []Pair, bad *terminal.Warnings, start terminal.Start) ([]scoredPair, error) {
	t, err := NewTranslator(m, decode.Options{Threads: s.Threads, NoAlignments: true})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	scores, good := make([]scoredPair, len(pairs)), 0
	for i, p := range pairs {
		if scores[i].Pair = p; p.Bad == nil {
			good++
		}
	}
	p := start("scoring", "pairs", good)
	err = t.ScorePairs(ctx, pairs, s.Source, 1, func(i int, r decode.Translation, tooLong error) {
		scores[i].Translation, scores[i].Bad = r, tooLong
		p.Add(1, fmt.Sprintf("log p %.2f", r.LogProb))
	})
	p.Done()
	switch {
	case ctx.Err() != nil:
		return nil, terminal.ErrInterrupted
	case err != nil:
		return nil, err
	}
	for i, scored := range scores {
		if scored.Bad != nil && pairs[i].Bad == nil {
			bad.Add(scored.Bad)
		}
	}
	return scores, nil
}

// ScorePairs calls f with the score of each pair, pairs[i], in any order, or with the reason why that
// pair is too long to score, unless it is a bad one. Errors have the name of the source and the number
// of the line, which is first for pairs[0].
func (t *Translator) ScorePairs(ctx context.Context, pairs []Pair, source string, first int, f func(i int, r decode.Translation, bad error)) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var good []text.Pair
	var indices []int // of good in pairs
	for i, p := range pairs {
		if p.Bad == nil {
			good, indices = append(good, p.Pair), append(indices, i)
		}
	}
	t.ScoreEach(ctx, text.Examples(good, t.Model.Source, t.Model.Target), func(k int, r decode.Translation, failure error) {
		i := indices[k]
		if failure != nil {
			failure = files.LineError(source, first+i, failure)
		}
		switch {
		case failure == nil || errors.Is(failure, model.ErrCapacity):
			f(i, r, failure)
		case err == nil:
			err = failure
			cancel()
		}
	})
	return err
}

// writeScores writes one line per pair: log p, the number of target words, and with words each of them
// and its log p. Bad pairs have the score -inf.
func writeScores(w io.Writer, scores []scoredPair, words bool) error {
	var b bytes.Buffer
	for _, s := range scores {
		if s.Bad != nil {
			s = scoredPair{Translation: decode.Translation{
				LogProb: math.Inf(-1), LogProbs: []float64{math.Inf(-1)}, IDs: []int32{text.EOS},
			}}
		}
		fmt.Fprintf(&b, "%s\t%d", formatLogProb(s.LogProb), len(s.IDs))
		if words {
			columns := make([]string, len(s.LogProbs))
			for i, word := range WithEnd(s.To.Shown()) {
				columns[i] = word + " " + formatLogProb(s.LogProbs[i])
			}
			b.WriteString("\t" + strings.Join(columns, " "))
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

func formatLogProb(p float64) string {
	if math.IsInf(p, -1) {
		return "-inf" // %g has -Inf
	}
	return fmt.Sprintf("%.6g", p)
}

// EndWord is the end of a sentence in vocabularies.
const EndWord = "</s>"

// WithEnd returns the words of a sentence and its end.
func WithEnd(words []string) []string { return append(slices.Clone(words), EndWord) }

type total struct {
	pairs, words int
	logProb      float64
}

func (t *total) add(s scoredPair) {
	t.pairs++
	t.words += len(s.IDs)
	t.logProb += s.LogProb
}

func (t *total) perWord() float64 { return t.logProb / float64(t.words) }

func (t *total) perplexity() float64 { return decode.Perplexity(t.logProb, t.words) }

func totals(scores []scoredPair) string {
	var t total
	for _, s := range scores {
		if s.Bad == nil {
			t.add(s)
		}
	}
	return fmt.Sprintf("%s, %s: log p %.6g, %.6g per word, perplexity %.6g", terminal.Plural(t.pairs, "pair"), terminal.Plural(t.words, "target word"), t.logProb, t.perWord(), t.perplexity())
}

// A Pair is a line of each of two parallel inputs.
type Pair struct {
	text.Pair
	From, To pipeline.Reading
	Bad      error // why the pair cannot be used, with the input and the line; nil for a usable one
}

// ReadPairs reads a file of source sentences and one of target sentences in the text of m, which
// must have equally many lines, unless ctx ends before.
func ReadPairs(ctx context.Context, m *model.Model, source, target string, read Reader) ([]Pair, error) {
	sourceInput, err := files.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	defer sourceInput.Close()
	targetInput, err := files.Open(ctx, target)
	if err != nil {
		return nil, err
	}
	defer targetInput.Close()
	s, t := files.NewLines(sourceInput), files.NewLines(targetInput)
	var pairs []Pair
	for ctx.Err() == nil {
		sourceLine, sourceErr := s.Next()
		targetLine, targetErr := t.Next()
		if sourceErr != nil || targetErr != nil {
			return pairs, endOfPairs(s, t, source, target, sourceErr, targetErr)
		}
		p := Pair{}
		p.From, p.To = read(m.SourceText, m.TargetText, sourceLine.Text, targetLine.Text)
		p.Source, p.Target = p.From.Words, p.To.Words
		p.Bad = cmp.Or(check(sourceLine, source, p.Source), check(targetLine, target, p.Target))
		pairs = append(pairs, p)
	}
	return nil, ctx.Err()
}

// A Reader reads two lines, as in training or as a translation.
type Reader func(source, target pipeline.Pipeline, sourceLine, targetLine string) (s, t pipeline.Reading)

// AsInTraining is [pipeline.ReadPair].
func AsInTraining(source, target pipeline.Pipeline, sourceLine, targetLine string) (s, t pipeline.Reading) {
	s, t, _ = pipeline.ReadPair(source, target, sourceLine, targetLine) // lines that differ can be measured
	return s, t
}

func asTranslation(source, target pipeline.Pipeline, sourceLine, targetLine string) (s, t pipeline.Reading) {
	s = source.Read(sourceLine, nil)
	return s, target.ReadTranslation(targetLine, s)
}

// check returns why a line cannot be used, with the name of the input and the number of the line.
func check(line files.Line, name string, words []string) (bad error) {
	if bad = line.Bad; bad == nil {
		if bad = CheckLength(words, MaxSentence); len(words) == 0 {
			bad = fmt.Errorf("%w, expected a sentence", text.ErrEmptyLine)
		}
	}
	if bad != nil {
		bad = files.LineError(name, line.Number, bad)
	}
	return bad
}

// MaxSentence is the largest --max-length of train: no model learns from more words.
const MaxSentence = 10_000

// ErrTooLong is the error for a sentence of too many words.
var ErrTooLong = errors.New("sentence too long")

// CheckLength returns an error for more words than the limit.
func CheckLength(words []string, limit int) error {
	if len(words) > limit {
		return fmt.Errorf("%w: %d words, expected at most %d", ErrTooLong, len(words), limit)
	}
	return nil
}

// endOfPairs returns the error of two inputs that were read together until one of them had an error,
// such as io.EOF: nil if they have equally many lines, and not none.
func endOfPairs(source, target *files.Lines, sourceName, targetName string, sourceErr, targetErr error) error {
	for sourceErr == nil {
		_, sourceErr = source.Next()
	}
	for targetErr == nil {
		_, targetErr = target.Next()
	}
	sourceLines, targetLines := source.Number(), target.Number()
	switch {
	case sourceErr != io.EOF:
		return sourceErr
	case targetErr != io.EOF:
		return targetErr
	case sourceLines == 0:
		return source.Empty()
	case targetLines == 0:
		return target.Empty()
	case sourceLines == targetLines:
		return nil
	}
	longer := sourceName
	if targetLines > sourceLines {
		longer = targetName
	}
	return fmt.Errorf("%s:%d: %w: %s has %d, %s has %d, expected the same", longer, min(sourceLines, targetLines)+1,
		text.ErrLineCount, sourceName, sourceLines, targetName, targetLines)
}
