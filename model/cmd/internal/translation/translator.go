// Package translation translates and scores the lines of files with a model. A line that cannot be used
// is reported and never stops the others.
//
// [Options.Open] reads the models. [Translator.Run] then takes an input to an output: it reads batches
// of lines while the batch before is translated, skips what an earlier run has written, and writes
// translations or n-best lists in order. Pairs of lines come from a [Scoring], which reads and scores
// them, and by which a [Quantization] measures what int8 costs.
package translation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Options say which models translate and how.
type Options struct {
	Models         []string       // files; several form an ensemble
	Decoding       decode.Options // without Ensemble
	AnyKind        bool           // models without alignments replace no unknown words, instead of an error
	SplitSentences bool           // translate each sentence of a line of plain text by itself
	OneSentence    bool           // no line has several, as far as warnings are concerned
	JoinLines      bool           // translate the paragraphs of a text.Joiner in place of lines, and copy lines of code
	MaxSource      int            // words of the longest sentence that is translated
	Terms          string         // file of terms, see ReadTerms; empty for none
	JSON           bool           // write what is known of each translation, see package api
	Format         string         // one of Formats; empty for text
}

// Open reads the models and returns a translator, which must be closed.
func (o Options) Open(ctx context.Context) (*Translator, error) {
	models, err := models.Opener(o.Models)()
	if err != nil {
		return nil, err
	}
	if o.Decoding.ReplaceUNK && !slices.ContainsFunc(models, (*model.Model).HasAlignments) {
		if !o.AnyKind {
			return nil, fmt.Errorf("--replace-unk: models of kind %s have no alignments, expected at least one of kind %s", model.RNNencdec, model.RNNsearch)
		}
		o.Decoding.ReplaceUNK = false
	}
	if o.SplitSentences && models[0].SourceText.Language() == "" {
		return nil, fmt.Errorf("--split-sentences: %s is a model of tokenized text, expected one of plain text", o.Models[0])
	}
	var numbers []int
	if o.Decoding.Terms, numbers, err = ReadTerms(ctx, o.Terms); err != nil {
		return nil, err
	}
	o.Decoding.Ensemble = models[1:]
	o.Decoding.NoAlignments = !o.JSON && o.lines()
	t, err := NewTranslator(models[0], o.Decoding)
	var rejected *pipeline.TermError
	if errors.As(err, &rejected) {
		return nil, fmt.Errorf("--terms %w", files.LineError(o.Terms, numbers[rejected.Index], rejected.Err))
	}
	if err != nil {
		return nil, err
	}
	t.MaxSource, t.oneSentence, t.format = o.MaxSource, o.OneSentence, o.Format
	t.json, t.joinLines = o.JSON, o.JoinLines
	if o.SplitSentences {
		t.split = models[0].SourceText.Sentences
	}
	t.learned = longestSource(models)
	if err := t.Check([]int32{text.EOS}); err != nil {
		t.Close()
		return nil, fmt.Errorf("--beam, --max-length, --min-length: no line can be translated: %w", err)
	}
	return t, nil
}

// lines reports whether lines are translated, rather than a document.
func (o Options) lines() bool { return o.Format == "" || o.Format == "text" }

// longestSource returns the number of words of the longest sentence that a model of an ensemble has
// learned from.
func longestSource(models []*model.Model) int {
	const unknown = 50 // the default of train --max-length
	longest := 0
	for _, m := range models {
		longest = max(longest, cmp.Or(m.LongestSource, unknown))
	}
	return longest
}

// A Translator translates lines of text in windows.
type Translator struct {
	*decode.Translator
	Model     *model.Model               // the first of an ensemble
	window    int                        // lines, or sentences of a document, translated before the first of them is written
	format    string                     // as in Options
	split     func(line string) []string // a line into sentences; nil for one sentence per line
	MaxSource int                        // words of the longest sentence that is translated
	learned   int                        // words of the longest sentence that the model has learned from

	oneSentence                 bool // lines have one each
	json, replaceUNK, joinLines bool // as in Options
}

// NewTranslator returns a translator with one model, one sentence a line. It must be closed.
func NewTranslator(m *model.Model, o decode.Options) (*Translator, error) {
	t, err := decode.New(m, o)
	if err != nil {
		return nil, err
	}
	const perThread = 256 // several batches: threads wait for each other at the end of a window
	return &Translator{
		Translator: t, Model: m, window: perThread * max(1, o.Threads),
		MaxSource: MaxSentence, learned: longestSource([]*model.Model{m}), replaceUNK: o.ReplaceUNK,
	}, nil
}

// sentences returns the sentences of a line. A line that cannot be used has one bad sentence.
func (t *Translator) sentences(line files.Line) []Sentence {
	if t.split == nil || line.Bad != nil {
		return []Sentence{t.Sentence(line)}
	}
	var list []Sentence
	for _, part := range t.split(line.Text) {
		list = append(list, t.Sentence(files.Line{Text: part, Number: line.Number}))
	}
	return list
}

// ErrLoop is the reason of a warning about a line whose translation had loops, and LoopTreatment says what
// has become of them.
var ErrLoop = errors.New("the translation repeats itself")

const LoopTreatment = "repetitions left out"

// CheckSentences returns an error for a line of plain text with several sentences that are translated as one.
func (t *Translator) CheckSentences(line files.Line) error {
	if t.split != nil || t.oneSentence || line.Bad != nil || t.Model.SourceText.Language() == "" {
		return nil
	}
	if n := len(t.Model.SourceText.Sentences(line.Text)); n > 1 {
		return fmt.Errorf("%d sentences, the model translates one at a time", n)
	}
	return nil
}

// A Sentence is a line of input, or a part of one, as a model reads it.
type Sentence struct {
	api.Sentence
	Number int   // of the line
	Bad    error // why it cannot be translated; it then has no words
}

// Sentence returns the sentence of a line. It is a bad one if it cannot be translated.
func (t *Translator) Sentence(line files.Line) Sentence {
	s := Sentence{Number: line.Number, Bad: line.Bad}
	if s.Bad == nil {
		r, _ := t.Read(line.Text) // models of this package have vocabularies
		s.Sentence = api.Of(t.Model, r)
		if s.Bad = CheckLength(s.Words, t.MaxSource); s.Bad == nil && len(s.Words) > 0 {
			s.Bad = t.CheckSentence(s.Search)
		}
	}
	if s.Bad != nil {
		s.Words = nil
	}
	return s
}

// EachSentence calls f with the translations of list[i], without loops and in any order, unless that is a bad line. A sentence
// without words has one translation without words. If a sentence fails, EachSentence returns the number of
// sentences before the first that does and its error, which is not about that sentence alone; f may
// have been called for later ones, too.
func (t *Translator) EachSentence(ctx context.Context, list []Sentence, f func(i int, best []decode.Translation)) (n int, err error) {
	var sources []decode.Sentence
	var indices []int // of the sources in list
	for i, s := range list {
		switch {
		case s.Bad != nil:
		case len(s.Words) == 0:
			f(i, []decode.Translation{{}})
		default:
			sources, indices = append(sources, s.Search), append(indices, i)
		}
	}
	n = len(list)
	t.Each(ctx, sources, func(i int, best []decode.Translation, failure error) {
		if failure == nil {
			f(indices[i], best)
		} else if indices[i] < n {
			n, err = indices[i], failure
		}
	})
	return n, err
}

// ReadTerms reads a file of terms: lines of source text, a tab and what stands for it in translations. A
// line without a tab is text that stays. There are no terms without a path. numbers has the line of each term, from 1.
func ReadTerms(ctx context.Context, path string) (terms []pipeline.Term, numbers []int, err error) {
	if path == "" {
		return nil, nil, nil
	}
	in, err := files.Open(ctx, path)
	if err != nil {
		return nil, nil, fmt.Errorf("--terms %w", err)
	}
	defer in.Close()
	in.Limit(16 << 20)
	for lines := files.NewLines(in); ; {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return terms, numbers, nil
		}
		if err == nil {
			err = line.Bad
		}
		fields := strings.Split(line.Text, "\t")
		if err == nil && len(fields) > 2 {
			err = fmt.Errorf("%d tabs, expected one between a source and what stands for it", len(fields)-1)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--terms %w", files.LineError(in.Name(), line.Number, err))
		}
		if strings.TrimSpace(line.Text) != "" {
			terms, numbers = append(terms, pipeline.Term{Source: fields[0], Target: fields[len(fields)-1]}), append(numbers, line.Number)
		}
	}
}
