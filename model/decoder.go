package model

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A decoder runs over the target sentences of a batch with the words given, and keeps what
// the backward pass needs. Rows are time-major, sentences ordered by target length.
//
// What enters gates, candidate and readout are the sums of one row: embeddings, then the
// values of the attended positions, weighted with α, then states. C and Co have acted on the
// annotations beforehand (see encoder), since Σ_j α_ij (C h_j) = C c_i.
type decoder struct {
	config Config
	most   int // columns of alpha: the positions of the longest source sentence
	arrangement

	previous, gold []int32 // the word before each position, -1 at the first, and the word itself

	read, fed      []float32 // rows×E: the embeddings that the readout and the GRU see
	sums, rh       []float32 // rows×(3H+2L): z, r, h̃ and the readout; rows×H
	states, before []float32 // rows×H: s_i and s_{i-1}
	first          []float32 // sentences×H: s_0
	queries        []float32 // rows×A
	alpha          []float32 // rows×most
	maxout         []float32 // rows×L
	zero           []float32 // H

	out       *output
	attending attending
	*decoderGradients
}

// decoderGradients are the gradients of the buffers of the same names.
type decoderGradients struct {
	dread, dfed       []float32
	dsums             []float32 // rows×(3H+2L), sentence by sentence
	dstates, dbefore  []float32
	dfirst            []float32
	dqueries, dmaxout []float32
	dprev, drh        []float32 // sentences×H
	dscores           []float32 // sentences×most
	weight            []float32 // rows: α of one position in all rows of a sentence
}

func newDecoder(c Config, capacity Capacity, training bool) *decoder {
	n, rows := capacity.Sentences, capacity.Sentences*capacity.TargetLength
	d := &decoder{
		config: c, most: c.positions(capacity.SourceLength),
		arrangement: newArrangement(n, capacity.TargetLength),
		previous:    make([]int32, rows), gold: make([]int32, rows),
		read: kernels.Alloc(rows * c.Embedding),
		sums: kernels.Alloc(rows * c.sums()), rh: kernels.Alloc(rows * c.Hidden),
		states: kernels.Alloc(rows * c.Hidden), before: kernels.Alloc(rows * c.Hidden),
		first:  kernels.Alloc(n * c.Hidden),
		alpha:  c.newAlpha(rows, capacity.SourceLength),
		maxout: kernels.Alloc(rows * c.Maxout),
		zero:   make([]float32, c.Hidden),
		out:    newOutput(c, rows),
	}
	d.fed = d.read
	if c.Order == PredictFirst {
		d.fed = kernels.Alloc(rows * c.Embedding)
	}
	if c.Kind == RNNsearch {
		d.queries = kernels.Alloc(rows * c.Alignment)
	}
	if training {
		d.decoderGradients = &decoderGradients{
			dread: kernels.Alloc(rows * c.Embedding), dfed: kernels.Alloc(rows * c.Embedding),
			dsums:   kernels.Alloc(rows * c.sums()),
			dstates: kernels.Alloc(rows * c.Hidden), dbefore: kernels.Alloc(rows * c.Hidden),
			dfirst:   kernels.Alloc(n * c.Hidden),
			dqueries: kernels.Alloc(len(d.queries)), dmaxout: kernels.Alloc(rows * c.Maxout),
			dprev: kernels.Alloc(n * c.Hidden), drh: kernels.Alloc(n * c.Hidden),
			dscores: kernels.Alloc(n * d.most), weight: kernels.Alloc(rows),
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

// forward computes everything up to the maxout units, with the masks m or none.
func (d *decoder) forward(k kernels.Impl, p *Parameters, e *encoder, m *masks, batch []text.Example) {
	d.lay(batch)
	rows, c := d.layout.Rows(), d.config
	for i, sentence := range d.order {
		copy(d.rows(d.first, c.Hidden, i, i+1).Data, e.states(e.first).Row(sentence))
	}
	read, fed := kernels.View(d.read, rows, c.Embedding), kernels.View(d.fed, rows, c.Embedding)
	k.GatherRows(read, p.Target, d.previous[:rows])
	m.read(k, read, d)
	if c.Order == PredictFirst {
		k.GatherRows(fed, p.Target, d.gold[:rows])
		m.fed(k, fed, d)
	}
	p.Decoder.Project(k, d.gates(0, rows), fed)
	k.Gemm(d.readout(), p.Vo, read, p.Bo, kernels.Identity)
	for t := range d.layout.Steps() {
		d.step(k, p, e, t)
	}
	d.gatherBefore()
	k.GemmAdd(d.readout(), p.Uo, d.readStates(), kernels.Identity)
	maxout := kernels.View(d.maxout, rows, c.Maxout)
	k.MaxoutRows(maxout, d.readout())
	m.readout(k, maxout, d)
}

// step attends with s_{i-1} and computes s_i for all rows of position t.
func (d *decoder) step(k kernels.Impl, p *Parameters, e *encoder, t int) {
	h := d.config.Hidden
	from, to := d.layout.Row(t), d.layout.Row(t+1)
	prev := d.previousStates(d.states, d.first, t)
	d.attend(k, p, e, prev, from)
	p.Decoder.Step(k, d.gates(from, to), d.rows(d.rh, h, from, to), d.rows(d.states, h, from, to), prev, d.zero)
}

// attend adds to the sums of the rows from row from on what their positions give.
func (d *decoder) attend(k kernels.Impl, p *Parameters, e *encoder, prev kernels.Matrix, from int) {
	d.attending = d.attendingTo(e, from, prev.Rows)
	if d.config.Kind == RNNsearch {
		d.attending.weights = &p.Attention
		p.Attention.Queries(k, d.attending.queries, prev)
	}
	k.Divide((*attendTask)(&d.attending), prev.Rows, d.attending.size())
}

// weights returns α of a row.
func (d *decoder) weights(e *encoder, row, sentence int) []float32 {
	return d.alpha[row*d.most:][:e.positions(sentence)]
}

// rows returns rows from to to-1 of a buffer.
func (d *decoder) rows(data []float32, cols, from, to int) kernels.Matrix {
	return kernels.View(data[from*cols:], to-from, cols)
}

// gates returns the sums of z, r and h̃ in rows from to to-1.
func (d *decoder) gates(from, to int) kernels.Matrix {
	return d.rows(d.sums, d.config.sums(), from, to).Columns(0, 3*d.config.Hidden)
}

// readout returns the sums of the readout in all rows.
func (d *decoder) readout() kernels.Matrix {
	cols := d.config.sums()
	return kernels.View(d.sums, d.layout.Rows(), cols).Columns(3*d.config.Hidden, cols)
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
