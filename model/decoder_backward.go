package model

import "github.com/softsearch-go/softsearch/kernels"

// backward adds the gradients of the decoder's weights to g and writes those of keys, values
// and first states to e, for the gradient dmaxout of the maxout units and the masks of the
// forward pass. It uses the forward values up.
func (d *decoder) backward(k kernels.Impl, p, g *Parameters, tr *transposed, e *encoder, m *masks, scratch []float32) {
	clear(d.dfirst[:len(d.order)*d.config.Hidden])
	if d.config.Kind == RNNsearch {
		k.Clear(e.dkeys[:e.layout.Rows()*d.config.Alignment])
	}
	d.readoutBackward(k, g, tr, m, scratch)
	for t := d.layout.Steps() - 1; t >= 0; t-- {
		d.stepBackward(k, p, g, tr, e, t)
	}
	d.valuesBackward(k, e)
	d.accumulate(k, g, tr, m, scratch)
	for i, sentence := range d.order {
		copy(e.states(e.dfirst).Row(sentence), d.rows(d.dfirst, d.config.Hidden, i, i+1).Data)
	}
}

// readoutBackward goes from the maxout units to the states and embeddings that the readout
// saw.
func (d *decoder) readoutBackward(k kernels.Impl, g *Parameters, tr *transposed, m *masks, scratch []float32) {
	rows, c := d.layout.Rows(), d.config
	dreadout, dmaxout := d.readout(), kernels.View(d.dmaxout, rows, c.Maxout)
	m.readout(k, dmaxout, d)
	k.MaxoutBackwardRows(dreadout, dmaxout)
	k.GemmGrad(g.Uo, dreadout, d.readStates(), scratch)
	k.GemmGrad(g.Vo, dreadout, kernels.View(d.read, rows, c.Embedding), scratch)
	k.SumRows(g.Bo, dreadout)

	dread := d.dstates
	if c.Order == PredictFirst {
		dread = d.dbefore
		k.Clear(d.dstates[:rows*c.Hidden])
	}
	k.Gemm(kernels.View(dread, rows, c.Hidden), tr.uo, dreadout, nil, kernels.Identity)
	k.Gemm(kernels.View(d.dread, rows, c.Embedding), tr.vo, dreadout, nil, kernels.Identity)
}

// stepBackward goes from s_i to s_{i-1} for all rows of position t.
func (d *decoder) stepBackward(k kernels.Impl, p, g *Parameters, tr *transposed, e *encoder, t int) {
	h := d.config.Hidden
	from, to := d.layout.Row(t), d.layout.Row(t+1)
	prev := d.previousStates(d.states, d.first, t)
	dprev := d.rows(d.dprev, h, 0, to-from)
	tr.decoder.StepBackward(k, d.gates(from, to), dprev, d.rows(d.drh, h, 0, to-from), prev, d.rows(d.dstates, h, from, to), d.zero)
	if d.config.Kind == RNNsearch {
		d.attendBackward(k, p, g, tr, e, dprev, from)
	}

	before := d.previousStates(d.dstates, d.dfirst, t)
	k.AddRows(before, dprev)
	if d.config.Order == PredictFirst {
		k.AddRows(before, d.rows(d.dbefore, h, from, to))
	}
}

// attendBackward goes from the sums of the rows from row from on through their weights to the
// keys and the states that attended.
func (d *decoder) attendBackward(k kernels.Impl, p, g *Parameters, tr *transposed, e *encoder, dprev kernels.Matrix, from int) {
	a := &d.attending
	*a = d.attendingTo(e, from, dprev.Rows)
	a.weights, a.gradients = &p.Attention, &g.Attention
	a.dqueries = d.rows(d.dqueries, d.config.Alignment, from, from+dprev.Rows)
	k.Divide((*weightsTask)(a), dprev.Rows, a.size())
	k.Divide((*scoresTask)(a), (d.config.Alignment+alignmentPanel-1)/alignmentPanel, a.size())
	tr.attention.QueriesBackward(k, dprev, a.dqueries)
}

// dscore returns the gradient of the scores of row i of a step at n positions.
func (d *decoder) dscore(i, n int) []float32 {
	return d.dscores[i*d.most:][:n]
}

// valuesBackward goes from the sums of all rows to the values.
func (d *decoder) valuesBackward(k kernels.Impl, e *encoder) {
	rows, cols := d.layout.Rows(), d.config.sums()
	k.GatherRows(kernels.View(d.dsums, rows, cols), kernels.View(d.sums, rows, cols), d.timed)
	d.attending = d.attendingTo(e, 0, 0)
	k.Divide((*valuesTask)(&d.attending), len(d.order), rows*cols*e.layout.Steps())
}

// accumulate adds the gradients of the weights that every position shares, and those of the
// target embeddings.
func (d *decoder) accumulate(k kernels.Impl, g *Parameters, tr *transposed, m *masks, scratch []float32) {
	rows, c := d.layout.Rows(), d.config
	dgates, before := d.gates(0, rows), kernels.View(d.before, rows, c.Hidden)
	fed, dfed := kernels.View(d.fed, rows, c.Embedding), kernels.View(d.dfed, rows, c.Embedding)
	g.Decoder.Accumulate(k, dgates, fed, before, kernels.View(d.rh, rows, c.Hidden), scratch)
	if c.Kind == RNNsearch {
		g.Attention.AccumulateQueries(k, kernels.View(d.dqueries, rows, c.Alignment), before, scratch)
	}
	k.Gemm(dfed, tr.decoder.W, dgates, nil, kernels.Identity)

	dread := kernels.View(d.dread, rows, c.Embedding)
	m.read(k, dread, d)
	k.ScatterRows(g.Target, dread, d.previous[:rows])
	words := d.previous
	if c.Order == PredictFirst {
		words = d.gold
	}
	m.fed(k, dfed, d)
	k.ScatterRows(g.Target, dfed, words[:rows])
}
