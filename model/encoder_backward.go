package model

import "github.com/softsearch-go/softsearch/kernels"

// backward adds the gradients of the encoder's weights to g, for the gradients of keys,
// values and first states, with the masks of the forward pass. It uses the forward values up.
func (e *encoder) backward(k kernels.Impl, g *Parameters, tr *transposed, m *masks, scratch []float32) {
	e.attendedBackward(k, g, tr, scratch)
	m.context(k, e.outputs(e.dannotations), e)
	x, h, dx, dh := e.inputs(e.x), e.outputs(e.h), e.inputs(e.dx), e.outputs(e.dh)
	k.GatherRows(dh, e.outputs(e.dannotations), e.place)
	if e.config.Kind == RNNsearch {
		e.both.Backward(k, &g.Forward, &g.Backward, &tr.forward, &tr.backward, &e.layout, h, dh, x, dx, scratch)
	} else {
		e.single.Backward(k, &g.Forward, &tr.forward, &e.layout, h, dh, x, dx, false, scratch)
	}
	m.source(k, dx, e)
	k.ScatterRows(g.Source, dx, e.words[:x.Rows])
}

// attendedBackward goes from keys, values and first states to the annotations.
func (e *encoder) attendedBackward(k kernels.Impl, g *Parameters, tr *transposed, scratch []float32) {
	first, dfirst := e.states(e.first), e.states(e.dfirst)
	k.TanhBackward(dfirst.Data, first.Data, dfirst.Data)
	k.GemmGrad(g.Ws, dfirst, e.states(e.summaries), scratch)
	k.SumRows(g.Bs, dfirst)
	attended := e.attended()
	dvalues := kernels.View(e.dvalues, attended.Rows, e.config.sums())
	k.GemmGrad(g.Context, dvalues, attended, scratch)

	all, summaries := e.outputs(e.dannotations), e.states(e.dsummaries)
	k.Gemm(summaries, tr.ws, dfirst, nil, kernels.Identity)
	if e.config.Kind == RNNsearch {
		dkeys := kernels.View(e.dkeys, all.Rows, e.config.Alignment)
		k.Gemm(all, tr.context, dvalues, nil, kernels.Identity)
		tr.attention.KeysBackward(k, &g.Attention, all, dkeys, attended, scratch)
	} else {
		k.Clear(all.Data)
		k.GemmAdd(summaries, tr.context, dvalues, kernels.Identity)
	}
	k.ScatterRows(e.summarised(all), summaries, e.ends)
}
