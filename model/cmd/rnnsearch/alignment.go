package main

import (
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// An alignment says where in the source a model looked for each word of a translation.
type alignment struct {
	source, target []string       // with the end of the sentence
	weights        kernels.Matrix // target×source
}

// hasAlignments reports whether a model looks at words of the source.
func hasAlignments(m *model.Model) bool { return m.Config.Kind == model.RNNsearch }

// newAlignment copies the alignment of a translation.
func newAlignment(m *model.Model, source []string, t decode.Translation) alignment {
	a := alignment{source: withEnd(source), target: make([]string, len(t.IDs)), weights: copied(t.Alignment)}
	for i, id := range t.IDs {
		a.target[i] = m.Target.Word(id)
	}
	return a
}

// forcedAlignment returns the alignment of a given pair.
func forcedAlignment(p text.Pair, r forced) alignment {
	return alignment{withEnd(p.Source), withEnd(p.Target), r.weights()}
}

// withEnd returns the words of a sentence and its end.
func withEnd(words []string) []string { return append(slices.Clone(words), endWord) }

// endWord is the end of a sentence.
const endWord = "</s>"

// copied returns a copy of a matrix without gaps.
func copied(m kernels.Matrix) kernels.Matrix {
	c := kernels.NewMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

// stepsBack counts the neighbouring words of the translation of which the second was found
// to the left of the first, each as the product of the weights of both.
func (a alignment) stepsBack() float32 {
	var sum, before float32
	last := 0
	for i := range a.target {
		weight, at := strongest(a.weights.Row(i))
		if at < last {
			sum += before * weight
		}
		before, last = weight, at
	}
	return sum
}

// strongest returns the largest weight and its place.
func strongest(weights []float32) (float32, int) {
	weight := slices.Max(weights)
	return weight, slices.Index(weights, weight)
}

// String returns the heat map.
func (a alignment) String() string { return heatMap(a.source, a.target, a.weights) }
