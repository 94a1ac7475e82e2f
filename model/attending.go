package model

import (
	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
)

// An attending is a step of attention, forward or backward, for consecutive rows of the
// decoder. Its tasks are divided among threads.
type attending struct {
	decoder            *decoder
	encoder            *encoder
	weights, gradients *attention.Model // RNNencdec has none
	row                int              // the first of the rows
	sums               kernels.Matrix
	queries, dqueries  kernels.Matrix
}

// attendingTo returns the attending of n rows from row from on, without its weights.
func (d *decoder) attendingTo(e *encoder, from, n int) attending {
	a := attending{decoder: d, encoder: e, row: from, sums: d.rows(d.sums, d.config.sums(), from, from+n)}
	if d.config.Kind == RNNsearch {
		a.queries = d.rows(d.queries, d.config.Alignment, from, from+n)
	}
	return a
}

// size returns the size of one pass over all keys and values, for kernels.Impl.Divide.
func (a *attending) size() int {
	c, positions := a.decoder.config, 0
	for i := range a.sums.Rows {
		positions += a.encoder.positions(a.decoder.order[i])
	}
	return positions * (c.AlignmentModel.unitCost()*c.Alignment + kernels.CostMove*c.sums())
}

// sentence returns the sentence of row i, and its weights.
func (a *attending) sentence(i int) (sentence int, alpha []float32) {
	sentence = a.decoder.order[i]
	return sentence, a.decoder.weights(a.encoder, a.row+i, sentence)
}

func (a *attending) keys(data []float32, sentence int) kernels.Matrix {
	return a.encoder.sentence(data, a.decoder.config.Alignment, sentence)
}

func (a *attending) values(sentence int) kernels.Matrix {
	return a.encoder.sentence(a.encoder.values, a.decoder.config.sums(), sentence)
}

// attendTask computes the weights of rows and adds the weighted values to their sums.
type attendTask attending

func (t *attendTask) Run(k kernels.Impl, from, to int) {
	a := (*attending)(t)
	for i := from; i < to; i++ {
		sentence, alpha := a.sentence(i)
		if a.weights != nil {
			a.weights.Weights(k, alpha, a.queries.Row(i), a.keys(a.encoder.keys, sentence))
		}
		k.WeightedSumAdd(a.sums.Row(i), alpha, a.values(sentence))
	}
}

// weightsTask goes from the gradients of sums to those of scores.
type weightsTask attending

func (t *weightsTask) Run(k kernels.Impl, from, to int) {
	a := (*attending)(t)
	for i := from; i < to; i++ {
		sentence, alpha := a.sentence(i)
		a.weights.WeightsBackward(k, a.decoder.dscore(i, len(alpha)), alpha, a.values(sentence), a.sums.Row(i))
	}
}

// alignmentPanel is the number of alignment units that are an item of scoresTask: a cache line.
const alignmentPanel = 16

// scoresTask goes from the scores of all rows to their columns, the keys' and va: the
// gradient of va is a sum over the rows in their order.
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

// valuesTask goes from the sums of all rows of sentences to the values.
type valuesTask attending

func (t *valuesTask) Run(k kernels.Impl, from, to int) {
	d, e, cols := t.decoder, t.encoder, t.decoder.config.sums()
	for sentence := from; sentence < to; sentence++ {
		start, n := d.start[sentence], d.length[sentence]
		dsums, dvalues := d.rows(d.dsums, cols, start, start+n), e.sentence(e.dvalues, cols, sentence)
		weights := d.weight[start : start+n]
		for j := range dvalues.Rows {
			for i, row := range d.timed[start : start+n] {
				weights[i] = d.alpha[int(row)*d.most+j]
			}
			k.WeightedSum(dvalues.Row(j), weights, dsums)
		}
	}
}
