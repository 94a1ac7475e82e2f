package alignment

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/figure"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// An AttentionMap holds the attention weights of a sentence pair. It is empty for an empty line and for one
// that cannot be used.
type AttentionMap struct {
	Source, Target []string       // with EndWord, unless a translation reached its maximum length
	Weights        kernels.Matrix // target×source
	logProb        float64        // log p(target | source)
	least          float32        // weight of a link
	bad            error          // why the line cannot be used, with the file and the line
}

// New returns the alignment of a translation, in which words of the source stand for unknown ones.
func New(m *model.Model, source pipeline.Reading, t decode.Translation) AttentionMap {
	target := m.TargetText.Shown(t.ReplaceUNK(m.Target, source.Words), source)
	if len(target) < len(t.IDs) {
		target = append(target, translation.EndWord)
	}
	return AttentionMap{translation.WithEnd(source.Shown()), target, t.Alignment, t.LogProb, 0, nil}
}

// between returns the alignment between tokens before the ends.
func (a AttentionMap) between(source, target []pipeline.Token) AttentionMap {
	weights := decode.Translation{Alignment: a.Weights}.Between(append(source, endOf(a.Source)), append(target, endOf(a.Target)))
	a.Source, a.Target, a.Weights = tokens(source), tokens(target), weights
	return a
}

// tokens returns the texts of tokens and the end.
func tokens(tokens []pipeline.Token) []string {
	list := make([]string, len(tokens))
	for i, t := range tokens {
		list[i] = strings.Join(strings.Fields(t.Text), "\u00a0")
	}
	return translation.WithEnd(list)
}

// endOf returns the place of the end.
func endOf(words []string) pipeline.Token {
	return pipeline.Token{Words: [2]int{len(words) - 1, len(words)}}
}

func hasEnd(words []string) bool { return len(words) > 0 && words[len(words)-1] == translation.EndWord }

// Formats are the formats of alignments.
var Formats = []string{"pharaoh", "json", "map", "svg"}

type writer interface {
	write(a AttentionMap) error
	finish() error // after the last alignment
}

func (o Options) newWriter(w io.Writer) writer {
	switch o.Format {
	case "pharaoh":
		if o.Source == "" {
			return lineWriter{w, AttentionMap.translatedPharaoh}
		}
		return lineWriter{w, AttentionMap.pharaoh}
	case "json":
		return lineWriter{w, AttentionMap.json}
	case "map":
		columns := terminal.Columns(w)
		return lineWriter{w, func(a AttentionMap) string { return a.HeatMap(columns) }}
	}
	return &pictureWriter{w: w}
}

type lineWriter struct {
	w      io.Writer
	format func(a AttentionMap) string
}

func (w lineWriter) write(a AttentionMap) error {
	_, err := io.WriteString(w.w, w.format(a)+"\n")
	return err
}

func (w lineWriter) finish() error { return nil }

// translatedPharaoh returns the translation, ||| and its links, or nothing for an empty line.
func (a AttentionMap) translatedPharaoh() string {
	if len(a.Target) == 0 {
		return ""
	}
	words := a.Target
	if hasEnd(words) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ") + " ||| " + a.pharaoh()
}

// pharaoh returns a link i-j from each target word j to the source word i with the largest weight,
// the first of equals, if that is enough. The ends of the sentences have no links.
func (a AttentionMap) pharaoh() string {
	var links []string
	for j, word := range a.Target {
		if j == len(a.Target)-1 && word == translation.EndWord {
			break
		}
		if i := ArgMax(a.Weights.Row(j)); i < len(a.Source)-1 && a.Weights.Row(j)[i] >= a.least {
			links = append(links, fmt.Sprintf("%d-%d", i, j))
		}
	}
	return strings.Join(links, " ")
}

// ArgMax returns the index of the largest weight, the first of equals.
func ArgMax(weights []float32) int { return slices.Index(weights, slices.Max(weights)) }

func (a AttentionMap) json() string {
	weights := make([][]float32, a.Weights.Rows)
	for i := range weights {
		weights[i] = a.Weights.Row(i)
	}
	message := ""
	if a.bad != nil {
		message = a.bad.Error()
	}
	return strings.TrimSuffix(api.Line(struct {
		Source  []string    `json:"source"`
		Target  []string    `json:"target"`
		Weights [][]float32 `json:"weights"`
		LogProb float64     `json:"log_prob"`
		Error   string      `json:"error,omitempty"`
	}{visibleEnd(a.Source), visibleEnd(a.Target), weights, a.logProb, message}), "\n")
}

// visibleEnd returns the words with <end> as the end of the sentence. It is never nil, so that
// JSON has [] and not null.
func visibleEnd(words []string) []string {
	shown := append([]string{}, words...)
	if hasEnd(words) {
		shown[len(shown)-1] = "<end>"
	}
	return shown
}

// A pictureWriter draws all alignments in one picture.
type pictureWriter struct {
	w       io.Writer
	list    []figure.AttentionMap
	weights int
}

// Limits of a picture, which has about 70 bytes for each weight.
const (
	maxPictureSentences = 64
	maxPictureWeights   = 1 << 17
)

// errSize is the error for too much text for a picture.
var errSize = errors.New("picture too large")

func (w *pictureWriter) write(a AttentionMap) error {
	if len(a.Target) == 0 {
		return nil
	}
	w.list = append(w.list, figure.AttentionMap{Source: a.Source, Target: a.Target, Weights: a.Weights})
	if w.weights += len(a.Weights.Data); w.weights > maxPictureWeights || len(w.list) > maxPictureSentences {
		return fmt.Errorf("%w, expected at most %d sentences and %d weights: select some, as with | head -n 4, or use --format json", errSize, maxPictureSentences, maxPictureWeights)
	}
	return nil
}

func (w *pictureWriter) finish() error {
	if len(w.list) == 0 {
		return errors.New("no sentence to draw")
	}
	_, err := io.WriteString(w.w, figure.Alignments(w.list))
	return err
}
