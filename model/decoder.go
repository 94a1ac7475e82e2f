package model

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A decoder runs over the target sentences of a batch with the words given, and keeps what
// the backward pass needs. Rows are time-major, sentences ordered by target length.
type decoder struct {
	config Config
	most   int // columns of alpha: the longest source sentence
	arrangement

	previous, gold []int32 // the word before each position, -1 at the first, and the word itself

	read, fed       []float32 // rows×E: the embeddings that the readout and the GRU see
	gates, rh       []float32 // rows×3H, rows×H
	states, before  []float32 // rows×H: s_i and s_{i-1}
	first, summary  []float32 // sentences×H: s_0 and what it is computed from
	queries         []float32 // rows×A
	alpha, contexts []float32 // rows×most, rows×C
	readout, maxout []float32 // rows×2L, rows×L
	zero            []float32 // H

	out       *output
	attending attending
	*decoderGradients
}

// decoderGradients are the gradients of the buffers of the same names.
type decoderGradients struct {
	dread, dfed         []float32
	dstates, dbefore    []float32
	dfirst, dsummary    []float32
	dqueries, dcontexts []float32
	dmaxout             []float32
	dprev, drh          []float32 // sentences×H
	dscores             []float32 // sentences×most
}

func newDecoder(c Config, capacity Capacity, training bool) *decoder {
	n, ctx := capacity.Sentences, c.context()
	rows := n * capacity.TargetLength
	d := &decoder{
		config: c, most: capacity.SourceLength,
		arrangement: newArrangement(n, capacity.TargetLength),
		previous:    make([]int32, rows), gold: make([]int32, rows),
		read:  kernels.Alloc(rows * c.Embedding),
		gates: kernels.Alloc(rows * 3 * c.Hidden), rh: kernels.Alloc(rows * c.Hidden),
		states: kernels.Alloc(rows * c.Hidden), before: kernels.Alloc(rows * c.Hidden),
		first: kernels.Alloc(n * c.Hidden), summary: kernels.Alloc(n * c.Hidden),
		contexts: kernels.Alloc(rows * ctx),
		readout:  kernels.Alloc(rows * 2 * c.Maxout), maxout: kernels.Alloc(rows * c.Maxout),
		zero: make([]float32, c.Hidden),
		out:  newOutput(c, rows),
	}
	d.fed = d.read
	if c.Order == PredictFirst {
		d.fed = kernels.Alloc(rows * c.Embedding)
	}
	if c.Kind == Search {
		d.queries = kernels.Alloc(rows * c.Alignment)
		d.alpha = kernels.Alloc(rows * d.most)
	}
	if training {
		d.decoderGradients = &decoderGradients{
			dread: kernels.Alloc(rows * c.Embedding), dfed: kernels.Alloc(rows * c.Embedding),
			dstates: kernels.Alloc(rows * c.Hidden), dbefore: kernels.Alloc(rows * c.Hidden),
			dfirst: kernels.Alloc(n * c.Hidden), dsummary: kernels.Alloc(n * c.Hidden),
			dqueries: kernels.Alloc(len(d.queries)), dcontexts: kernels.Alloc(rows * ctx),
			dmaxout: kernels.Alloc(rows * c.Maxout),
			dprev:   kernels.Alloc(n * c.Hidden), drh: kernels.Alloc(n * c.Hidden),
			dscores: kernels.Alloc(n * d.most),
		}
	}
	return d
}

// lay orders the sentences by target length and lists the words of each row.
func (d *decoder) lay(batch []text.Example) {
	d.arrange(len(batch), func(i int) int { return len(batch[i].Target) })
	for t := range d.layout.Steps() {
		for i := range d.layout.Active(t) {
			target, row := batch[d.order[i]].Target, d.layout.Row(t)+i
			d.gold[row], d.previous[row] = target[t], -1
			if t > 0 {
				d.previous[row] = target[t-1]
			}
		}
	}
}

// forward computes everything up to the maxout units.
func (d *decoder) forward(k kernels.Impl, p *Parameters, e *encoder, batch []text.Example) {
	d.lay(batch)
	n, rows, c := len(batch), d.layout.Rows(), d.config
	summary, first := kernels.View(d.summary, n, c.Hidden), kernels.View(d.first, n, c.Hidden)
	for i, sentence := range d.order {
		copy(summary.Row(i), e.summary(e.annotations, sentence))
	}
	k.Gemm(first, p.Ws, summary, p.Bs, kernels.Tanh)

	k.GatherRows(kernels.View(d.read, rows, c.Embedding), p.Target, d.previous[:rows])
	if c.Order == PredictFirst {
		k.GatherRows(kernels.View(d.fed, rows, c.Embedding), p.Target, d.gold[:rows])
	}
	p.Decoder.Project(k, kernels.View(d.gates, rows, 3*c.Hidden), kernels.View(d.fed, rows, c.Embedding))
	for t := range d.layout.Steps() {
		d.step(k, p, e, t)
	}
	d.gatherBefore()

	maxout := kernels.View(d.maxout, rows, c.Maxout)
	readout := kernels.View(d.readout, rows, 2*c.Maxout)
	k.Gemm(readout, p.Uo, d.readStates(), p.Bo, kernels.Identity)
	k.GemmAdd(readout, p.Vo, kernels.View(d.read, rows, c.Embedding), kernels.Identity)
	k.GemmAdd(readout, p.Co, kernels.View(d.contexts, rows, c.context()), kernels.Identity)
	k.MaxoutRows(maxout, readout)
}

// step attends with s_{i-1} and computes s_i for all rows of position t.
func (d *decoder) step(k kernels.Impl, p *Parameters, e *encoder, t int) {
	h := d.config.Hidden
	from, to := d.layout.Row(t), d.layout.Row(t+1)
	contexts := d.rows(d.contexts, d.config.context(), from, to)
	prev := d.previousStates(d.states, d.first, t)
	d.attend(k, p, e, contexts, prev, from)
	gates := d.rows(d.gates, 3*h, from, to)
	k.GemmAdd(gates, p.C, contexts, kernels.Identity)
	p.Decoder.Step(k, gates, d.rows(d.rh, h, from, to), d.rows(d.states, h, from, to), prev, d.zero)
}

// attend computes the contexts of the rows from row from on.
func (d *decoder) attend(k kernels.Impl, p *Parameters, e *encoder, contexts, prev kernels.Matrix, from int) {
	c := d.config
	if c.Kind == EncDec {
		for i := range contexts.Rows {
			copy(contexts.Row(i), e.summary(e.annotations, d.order[i]))
		}
		return
	}
	queries := d.rows(d.queries, c.Alignment, from, from+contexts.Rows)
	p.Attention.Queries(k, queries, prev)
	d.attending = attending{decoder: d, encoder: e, weights: &p.Attention, row: from, queries: queries, contexts: contexts}
	k.Divide((*attendTask)(&d.attending), queries.Rows, d.attending.size())
}

// weights returns α of a row.
func (d *decoder) weights(e *encoder, row, sentence int) []float32 {
	return d.alpha[row*d.most:][:e.length[sentence]]
}

// rows returns rows from to to-1 of a buffer.
func (d *decoder) rows(data []float32, cols, from, to int) kernels.Matrix {
	return kernels.View(data[from*cols:], to-from, cols)
}

// previousStates returns the rows of position t-1, or those of s_0, that position t
// continues.
func (d *decoder) previousStates(states, first []float32, t int) kernels.Matrix {
	n, h := d.layout.Active(t), d.config.Hidden
	if t == 0 {
		return d.rows(first, h, 0, n)
	}
	from := d.layout.Row(t - 1)
	return d.rows(states, h, from, from+n)
}

// gatherBefore lists s_{i-1} for all rows.
func (d *decoder) gatherBefore() {
	h := d.config.Hidden
	for t := range d.layout.Steps() {
		prev := d.previousStates(d.states, d.first, t)
		copy(d.before[d.layout.Row(t)*h:], prev.Data)
	}
}

// readStates returns the states that the readout sees, by the order of the model.
func (d *decoder) readStates() kernels.Matrix {
	data := d.states
	if d.config.Order == PredictFirst {
		data = d.before
	}
	return kernels.View(data, d.layout.Rows(), d.config.Hidden)
}
