package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
)

// An alignment holds the attention weights of a sentence pair. It is empty for an empty line and for one
// that cannot be used.
type alignment struct {
	source, target []string       // with endWord, unless a translation reached its maximum length
	weights        kernels.Matrix // target×source
	logProb        float64        // log p(target | source)
	bad            error          // why the line cannot be used, with the file and the line
}

// endWord is the end of a sentence in vocabularies.
const endWord = "</s>"

// withEnd returns the words of a sentence and its end.
func withEnd(words []string) []string { return append(slices.Clone(words), endWord) }

// hasEnd reports whether the last word is the end of the sentence.
func hasEnd(words []string) bool { return len(words) > 0 && words[len(words)-1] == endWord }

// alignmentFormats are the formats of align.
var alignmentFormats = []string{"pharaoh", "json", "map", formatSVG, formatPNG}

// An alignmentWriter writes alignments in one of the formats.
type alignmentWriter interface {
	limit() int // maximum number of sentences, 0 for any
	// plan returns an error if the alignments of the pairs, except those with a reason in bad, are
	// too many. Targets that are not known yet have no words.
	plan(name string, pairs []inputPair) error
	write(a alignment) error
	finish() error // after the last alignment
}

// newAlignmentWriter returns a writer to stdout. translated means that the targets are
// translations, which the Pharaoh format then includes.
func newAlignmentWriter(stdout io.Writer, o figureOptions, translated bool) alignmentWriter {
	switch o.format {
	case "pharaoh":
		if translated {
			return lineWriter{stdout, alignment.translatedPharaoh}
		}
		return lineWriter{stdout, alignment.pharaoh}
	case "json":
		return lineWriter{stdout, alignment.json}
	case "map":
		return lineWriter{stdout, alignment.heatMap}
	}
	return &figureWriter{stdout: stdout, options: o}
}

// A lineWriter writes each alignment, formatted by format, and a newline.
type lineWriter struct {
	w      io.Writer
	format func(a alignment) string
}

func (w lineWriter) write(a alignment) error {
	_, err := io.WriteString(w.w, w.format(a)+"\n")
	return err
}

func (w lineWriter) limit() int                     { return 0 }
func (w lineWriter) plan(string, []inputPair) error { return nil }
func (w lineWriter) finish() error                  { return nil }

// translatedPharaoh returns the translation, ||| and its links, or nothing for an empty line.
func (a alignment) translatedPharaoh() string {
	if len(a.target) == 0 {
		return ""
	}
	words := a.target
	if hasEnd(words) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ") + " ||| " + a.pharaoh()
}

// pharaoh returns a link i-j from each target word j to the source word i with the largest weight,
// the first of equals. The ends of the sentences have no links.
func (a alignment) pharaoh() string {
	var links []string
	for j, word := range a.target {
		if j == len(a.target)-1 && word == endWord {
			break
		}
		if i := argMax(a.weights.Row(j)); i < len(a.source)-1 {
			links = append(links, fmt.Sprintf("%d-%d", i, j))
		}
	}
	return strings.Join(links, " ")
}

// argMax returns the index of the largest weight, the first of equals.
func argMax(weights []float32) int { return slices.Index(weights, slices.Max(weights)) }

// json returns the alignment as a JSON object.
func (a alignment) json() string {
	weights := make([][]float32, a.weights.Rows)
	for i := range weights {
		weights[i] = a.weights.Row(i)
	}
	message := ""
	if a.bad != nil {
		message = a.bad.Error()
	}
	var line strings.Builder
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		Source  []string    `json:"source"`
		Target  []string    `json:"target"`
		Weights [][]float32 `json:"weights"`
		LogProb float64     `json:"log_prob"`
		Error   string      `json:"error,omitempty"`
	}{visibleEnd(a.source), visibleEnd(a.target), weights, a.logProb, message})
	if err != nil {
		panic(err) // weights and log-probabilities are finite
	}
	return strings.TrimSuffix(line.String(), "\n")
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

// heatMap returns a heat map of characters: a row for each target word and a column for each
// source word, which reads downwards.
func (a alignment) heatMap() string {
	var b strings.Builder
	a.source, a.target = quotedWords(a.source), quotedWords(a.target)
	margin, height := longestWord(a.target), longestWord(a.source)
	for line := range height {
		writeRow(&b, strings.Repeat(" ", margin), headingCells(a.source, height, line))
	}
	for i, word := range a.target {
		cells := make([]string, len(a.source))
		for j := range cells {
			cells[j] = shade(a.weights.Row(i)[j])
		}
		writeRow(&b, strings.Repeat(" ", margin-utf8.RuneCountInString(word))+word, cells)
	}
	return b.String()
}

// quotedWords returns the words as a terminal can print them.
func quotedWords(words []string) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = terminal.Quote(word)
	}
	return list
}

// longestWord returns the number of characters of the longest word.
func longestWord(words []string) int {
	n := 0
	for _, word := range words {
		n = max(n, utf8.RuneCountInString(word))
	}
	return n
}

// headingCells returns the cells of a line of the heading, whose words are aligned at the bottom.
func headingCells(words []string, height, line int) []string {
	cells := make([]string, len(words))
	for i, word := range words {
		letters := []rune(word)
		cells[i] = "  "
		if at := line - height + len(letters); at >= 0 {
			cells[i] = string(letters[at]) + " "
		}
	}
	return cells
}

// shade returns the cell of a weight: the range 0 to 1 has five equal steps.
func shade(weight float32) string {
	shades := [...]string{"· ", "░░", "▒▒", "▓▓", "██"}
	return shades[min(int(weight*float32(len(shades))), len(shades)-1)]
}

// writeRow writes a line of a heat map.
func writeRow(b *strings.Builder, label string, cells []string) {
	b.WriteString(strings.TrimRight(label+"  "+strings.Join(cells, " "), " ") + "\n")
}

// A figureWriter draws all alignments in one figure.
type figureWriter struct {
	stdout  io.Writer
	options figureOptions
	list    []figure.Alignment
	weights int
}

// Limits of a picture. An SVG has about 60 bytes for each weight.
const (
	maxFigureSentences = 64
	maxFigureWeights   = 1 << 17
)

// selectSome says what to do about a picture that is too large.
const selectSome = "select some sentences, as with | head -n 4, or use --format json"

func (w *figureWriter) limit() int { return maxFigureSentences }

// plan checks the number of pairs, of their weights, and of the pixels of a PNG.
func (w *figureWriter) plan(name string, pairs []inputPair) error {
	var list []figure.Alignment
	weights := 0
	for i, p := range pairs {
		if p.bad != nil {
			continue
		}
		a := figure.Alignment{Source: visibleEnd(withEnd(p.Source)), Target: visibleEnd(withEnd(p.Target))}
		list = append(list, a)
		if weights += len(a.Source) * len(a.Target); weights > maxFigureWeights {
			return lineError(name, i+1, tooManyWeights(weights))
		}
	}
	if len(list) > maxFigureSentences {
		return fmt.Errorf("%s: %w: %d sentences, expected at most %d; %s", name, figure.ErrSize, len(list), maxFigureSentences, selectSome)
	}
	if w.options.format == formatPNG {
		return figure.Alignments(list).CheckPNG()
	}
	return nil
}

func tooManyWeights(n int) error {
	return fmt.Errorf("%w: %d weights, expected at most %d; %s", figure.ErrSize, n, maxFigureWeights, selectSome)
}

func (w *figureWriter) write(a alignment) error {
	if w.weights += len(a.weights.Data); w.weights > maxFigureWeights {
		return tooManyWeights(w.weights)
	}
	if len(a.target) > 0 {
		w.list = append(w.list, figure.Alignment{Source: visibleEnd(a.source), Target: visibleEnd(a.target), Weights: a.weights})
	}
	return nil
}

func (w *figureWriter) finish() error {
	if len(w.list) == 0 {
		return errors.New("no sentence to draw")
	}
	return w.options.write(w.stdout, figure.Alignments(w.list))
}
