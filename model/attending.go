package model

import (
	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
)

// An attending is a step of attention, forward or backward, for the rows of the decoder from
// row on. Its tasks are divided among threads.
type attending struct {
	decoder             *decoder
	encoder             *encoder
	weights, gradients  *attention.Additive
	row                 int
	queries, contexts   kernels.Matrix
	dqueries, dcontexts kernels.Matrix
}

// size returns the size of one pass over all keys and annotations, for kernels.Impl.Divide.
func (a *attending) size() int {
	positions := a.queries.Rows * a.encoder.layout.Rows() / len(a.encoder.order)
	c := a.decoder.config
	return positions * (kernels.CostFunction*c.Alignment + kernels.CostMove*c.context())
}

// sentence returns the sentence of query i, and its weights.
func (a *attending) sentence(i int) (sentence int, alpha []float32) {
	sentence = a.decoder.order[i]
	return sentence, a.decoder.weights(a.encoder, a.row+i, sentence)
}

func (a *attending) keys(data []float32, sentence int) kernels.Matrix {
	return a.encoder.sentence(data, a.decoder.config.Alignment, sentence)
}

func (a *attending) annotations(data []float32, sentence int) kernels.Matrix {
	return a.encoder.sentence(data, a.decoder.config.context(), sentence)
}

// attendTask computes the weights and the contexts of queries.
type attendTask attending

func (t *attendTask) Run(k kernels.Impl, from, to int) {
	a := (*attending)(t)
	for i := from; i < to; i++ {
		sentence, alpha := a.sentence(i)
		a.weights.Attend(k, alpha, a.contexts.Row(i), a.queries.Row(i),
			a.keys(a.encoder.keys, sentence), a.annotations(a.encoder.annotations, sentence))
	}
}

// contextTask goes from the contexts of queries to their scores and the annotations.
type contextTask attending

func (t *contextTask) Run(k kernels.Impl, from, to int) {
	a := (*attending)(t)
	for i := from; i < to; i++ {
		sentence, alpha := a.sentence(i)
		a.weights.ContextBackward(k, a.decoder.dscore(i, len(alpha)), a.annotations(a.encoder.dannotations, sentence),
			alpha, a.annotations(a.encoder.annotations, sentence), a.dcontexts.Row(i))
	}
}

// alignmentPanel is the number of alignment units that are an item of scoresTask: a cache line.
const alignmentPanel = 16

// scoresTask goes from the scores of all queries to their columns, the keys' and va: the
// gradient of va is a sum over the queries in their order.
type scoresTask attending

func (t *scoresTask) Run(k kernels.Impl, from, to int) {
	a := (*attending)(t)
	from, to = from*alignmentPanel, min(to*alignmentPanel, a.queries.Cols)
	for i := range a.queries.Rows {
		sentence, alpha := a.sentence(i)
		a.weights.ScoresBackward(k, a.gradients, a.dqueries.Row(i), a.keys(a.encoder.dkeys, sentence),
			a.queries.Row(i), a.keys(a.encoder.keys, sentence), a.decoder.dscore(i, len(alpha)), from, to)
	}
}
