package model

import "github.com/softsearch-go/softsearch/kernels"

// backward adds the gradients of the decoder's weights to g, and those of annotations and
// keys to e, for the gradient dmaxout of the maxout units. It uses the forward values up.
func (d *decoder) backward(k kernels.Impl, p, g *Parameters, tr *transposed, e *encoder, scratch []float32) {
	clear(d.dfirst[:len(d.order)*d.config.Hidden])
	e.clearGradients(k)
	d.readoutBackward(k, g, tr, scratch)
	for t := d.layout.Steps() - 1; t >= 0; t-- {
		d.stepBackward(k, p, g, tr, e, t)
	}
	d.accumulate(k, g, tr, scratch)
	d.firstBackward(k, g, tr, e, scratch)
}

// readoutBackward goes from the maxout units to the states, embeddings and contexts that
// the readout saw.
func (d *decoder) readoutBackward(k kernels.Impl, g *Parameters, tr *transposed, scratch []float32) {
	rows, c := d.layout.Rows(), d.config
	dreadout, dmaxout := kernels.View(d.readout, rows, 2*c.Maxout), kernels.View(d.dmaxout, rows, c.Maxout)
	k.MaxoutBackwardRows(dreadout, dmaxout)
	k.GemmGrad(g.Uo, dreadout, d.readStates(), scratch)
	k.GemmGrad(g.Vo, dreadout, kernels.View(d.read, rows, c.Embedding), scratch)
	k.GemmGrad(g.Co, dreadout, kernels.View(d.contexts, rows, c.context()), scratch)
	k.SumRows(g.Bo, dreadout)

	dread := d.dstates
	if c.Order == PredictFirst {
		dread = d.dbefore
		k.Clear(d.dstates[:rows*c.Hidden])
	}
	k.Gemm(kernels.View(dread, rows, c.Hidden), tr.uo, dreadout, nil, kernels.Identity)
	k.Gemm(kernels.View(d.dread, rows, c.Embedding), tr.vo, dreadout, nil, kernels.Identity)
	k.Gemm(kernels.View(d.dcontexts, rows, c.context()), tr.co, dreadout, nil, kernels.Identity)
}

// stepBackward goes from s_i to s_{i-1} for all rows of position t.
func (d *decoder) stepBackward(k kernels.Impl, p, g *Parameters, tr *transposed, e *encoder, t int) {
	h := d.config.Hidden
	from, to := d.layout.Row(t), d.layout.Row(t+1)
	gates := d.rows(d.gates, 3*h, from, to)
	prev := d.previousStates(d.states, d.first, t)
	dprev := d.rows(d.dprev, h, 0, to-from)
	tr.decoder.StepBackward(k, gates, dprev, d.rows(d.drh, h, 0, to-from), prev, d.rows(d.dstates, h, from, to), d.zero)

	dcontexts := d.rows(d.dcontexts, d.config.context(), from, to)
	k.GemmAdd(dcontexts, tr.c, gates, kernels.Identity)
	d.attendBackward(k, p, g, tr, e, dprev, dcontexts, from)

	before := d.previousStates(d.dstates, d.dfirst, t)
	k.AddRows(before, dprev)
	if d.config.Order == PredictFirst {
		k.AddRows(before, d.rows(d.dbefore, h, from, to))
	}
}

// attendBackward goes from the contexts of the rows from row from on to the annotations,
// the keys and the states that attended.
func (d *decoder) attendBackward(k kernels.Impl, p, g *Parameters, tr *transposed, e *encoder, dprev, dcontexts kernels.Matrix, from int) {
	c := d.config
	if c.Kind == EncDec {
		for i := range dcontexts.Rows {
			k.Add(e.summary(e.dannotations, d.order[i]), dcontexts.Row(i))
		}
		return
	}
	queries := d.rows(d.queries, c.Alignment, from, from+dprev.Rows)
	dqueries := d.rows(d.dqueries, c.Alignment, from, from+dprev.Rows)
	d.attending = attending{
		decoder: d, encoder: e, weights: &p.Attention, gradients: &g.Attention, row: from,
		queries: queries, dqueries: dqueries, dcontexts: dcontexts,
	}
	k.Divide((*contextTask)(&d.attending), queries.Rows, d.attending.size())
	k.Divide((*scoresTask)(&d.attending), (c.Alignment+alignmentPanel-1)/alignmentPanel, d.attending.size())
	tr.attention.QueriesBackward(k, dprev, dqueries)
}

// dscore returns the gradient of the scores of query i at n positions.
func (d *decoder) dscore(i, n int) []float32 {
	return d.dscores[i*d.most:][:n]
}

// accumulate adds the gradients of the weights that every position shares, and those of the
// target embeddings.
func (d *decoder) accumulate(k kernels.Impl, g *Parameters, tr *transposed, scratch []float32) {
	rows, c := d.layout.Rows(), d.config
	dgates, before := kernels.View(d.gates, rows, 3*c.Hidden), kernels.View(d.before, rows, c.Hidden)
	fed, dfed := kernels.View(d.fed, rows, c.Embedding), kernels.View(d.dfed, rows, c.Embedding)
	g.Decoder.Accumulate(k, dgates, fed, before, kernels.View(d.rh, rows, c.Hidden), scratch)
	k.GemmGrad(g.C, dgates, kernels.View(d.contexts, rows, c.context()), scratch)
	if c.Kind == Search {
		g.Attention.AccumulateQueries(k, kernels.View(d.dqueries, rows, c.Alignment), before, scratch)
	}
	k.Gemm(dfed, tr.decoder.W, dgates, nil, kernels.Identity)

	k.ScatterRows(g.Target, kernels.View(d.dread, rows, c.Embedding), d.previous[:rows])
	words := d.previous
	if c.Order == PredictFirst {
		words = d.gold
	}
	k.ScatterRows(g.Target, dfed, words[:rows])
}

// firstBackward goes from s_0 to the encoder.
func (d *decoder) firstBackward(k kernels.Impl, g *Parameters, tr *transposed, e *encoder, scratch []float32) {
	n, h := len(d.order), d.config.Hidden
	k.TanhBackward(d.dfirst[:n*h], d.first[:n*h], d.dfirst[:n*h])
	dfirst, dsummary := kernels.View(d.dfirst, n, h), kernels.View(d.dsummary, n, h)
	k.GemmGrad(g.Ws, dfirst, kernels.View(d.summary, n, h), scratch)
	k.SumRows(g.Bs, dfirst)
	k.Gemm(dsummary, tr.ws, dfirst, nil, kernels.Identity)
	for i, sentence := range d.order {
		k.Add(e.summary(e.dannotations, sentence), dsummary.Row(i))
	}
}
