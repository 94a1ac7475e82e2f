package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/figure"
)

// alignmentFormats are the formats of align.
var alignmentFormats = []string{"pharaoh", "json", "map", formatSVG, formatPNG}

// aligned is an alignment and log p of the target. It is empty for an empty line.
type aligned struct {
	alignment
	logProb float64
}

// An alignmentOutput writes alignments.
type alignmentOutput interface {
	add(a aligned) error
	finish() error
}

// newAlignmentOutput returns the output of a format. translated says that the targets are
// translations and not given.
func newAlignmentOutput(stdout io.Writer, p picture, translated bool) alignmentOutput {
	switch p.format {
	case "pharaoh":
		if translated {
			return lineOutput{stdout, translatedPharaoh}
		}
		return lineOutput{stdout, aligned.pharaoh}
	case "json":
		return lineOutput{stdout, aligned.json}
	case "map":
		return lineOutput{stdout, aligned.String}
	}
	return &figureOutput{stdout: stdout, picture: p}
}

// A lineOutput writes each alignment and the end of the line.
type lineOutput struct {
	w      io.Writer
	format func(a aligned) string
}

func (o lineOutput) add(a aligned) error {
	_, err := io.WriteString(o.w, o.format(a)+"\n")
	return err
}

func (o lineOutput) finish() error { return nil }

// pharaoh returns i-j for each target word j and the source word i that has the largest
// weight, the first of equals. The ends of the sentences have no links.
func (a aligned) pharaoh() string {
	var links []string
	for j, word := range a.target {
		if j == len(a.target)-1 && word == endWord {
			break
		}
		if _, i := strongest(a.weights.Row(j)); i < len(a.source)-1 {
			links = append(links, fmt.Sprintf("%d-%d", i, j))
		}
	}
	return strings.Join(links, " ")
}

// translatedPharaoh returns the translation and its links. An empty line stays empty.
func translatedPharaoh(a aligned) string {
	if len(a.target) == 0 {
		return ""
	}
	return strings.Join(withoutEnd(a.target), " ") + " ||| " + a.pharaoh()
}

// withoutEnd returns the words before the end of a sentence that has one.
func withoutEnd(words []string) []string {
	if n := len(words); n > 0 && words[n-1] == endWord {
		return words[:n-1]
	}
	return words
}

// json returns the object of an alignment.
func (a aligned) json() string {
	weights := make([][]float32, a.weights.Rows)
	for i := range weights {
		weights[i] = a.weights.Row(i)
	}
	var line strings.Builder
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		Source  []string    `json:"source"`
		Target  []string    `json:"target"`
		Weights [][]float32 `json:"weights"`
		LogProb float64     `json:"log_prob"`
	}{shownEnd(a.source), shownEnd(a.target), weights, a.logProb})
	if err != nil {
		panic(err) // weights and log-probabilities are finite
	}
	return strings.TrimSuffix(line.String(), "\n")
}

// shownEnd returns the words with <end> for the end of the sentence.
func shownEnd(words []string) []string {
	shown := append([]string{}, words...)
	if n := len(words); n > 0 && words[n-1] == endWord {
		shown[n-1] = "<end>"
	}
	return shown
}

// mostPictured is the number of weights of a figure.
const mostPictured = 1 << 20

// errPictured is the error for more alignments than a figure has room for.
var errPictured = errors.New("too many weights for a picture")

// A figureOutput draws all alignments.
type figureOutput struct {
	stdout  io.Writer
	picture picture
	list    []figure.Alignment
	weights int
}

func (o *figureOutput) add(a aligned) error {
	o.weights += len(a.weights.Data)
	if o.weights > mostPictured {
		return fmt.Errorf("%w: %d, expected at most %d", errPictured, o.weights, mostPictured)
	}
	if len(a.target) > 0 {
		o.list = append(o.list, figure.Alignment{Source: shownEnd(a.source), Target: shownEnd(a.target), Weights: a.weights})
	}
	return nil
}

func (o *figureOutput) finish() error {
	if len(o.list) == 0 {
		return errors.New("no sentence for a picture")
	}
	return o.picture.write(o.stdout, figure.Alignments(o.list))
}
