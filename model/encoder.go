package model

import (
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/rnn"
)

// An encoder computes the memory of a batch of source sentences:
//
//	h_j     = [→h_j; ←h_j]              →h_j for RNNencdec
//	s_0     = tanh(Ws ←h_1 + bs)        →h_S for RNNencdec
//	key_j   = Ua h_j                    by the alignment model
//	value_j = [Cz; Cr; C; Co] h_j
//
// The GRUs work on time-major rows, everything after them on sentence-major ones.
type encoder struct {
	config  Config
	layout  batchLayout
	ids     []int32 // of the time-major rows
	owner   []int32 // owner[row] is the sentence of a sentence-major row
	lastRow []int32 // lastRow[sentence] is the sentence-major row that ends with its final state

	forwards, backwards *rnn.Sequence // RNNencdec has none backwards

	x, h        []float32 // rows×E and rows×C, time-major
	annotations []float32 // rows×C: h, sentence-major
	final       []float32 // sentences×H: ←h_1, or →h_S for RNNencdec
	memory      memory

	embeddingDropout, annotationDropout dropoutLayer
	*encoderGradients
}

// encoderGradients are the gradients of the buffers of the same names.
type encoderGradients struct{ dx, dh, dannotations, dfinal []float32 }

// newEncoder returns an encoder with room for that many sentences of up to length words, rows in all,
// which writes to memory m.
func newEncoder(a *allocator, c Config, sentences, length, rows int, m memory, training bool) *encoder {
	ctx := c.context()
	e := &encoder{
		config: c, layout: newBatchLayout(a, sentences, length, rows),
		ids: a.int32s(rows), owner: a.int32s(rows), lastRow: a.int32s(sentences),
		x: a.floats(rows, c.Embedding), h: a.floats(rows, ctx), annotations: a.floats(rows, ctx),
		final:  a.floats(sentences, c.Hidden),
		memory: m,
	}
	e.newGRUs(a, sentences, rows)
	if training {
		e.encoderGradients = &encoderGradients{
			dx: a.floats(rows, c.Embedding), dh: a.floats(rows, ctx), dannotations: a.floats(rows, ctx),
			dfinal: a.floats(sentences, c.Hidden),
		}
	}
	return e
}

func (e *encoder) newGRUs(a *allocator, sentences, rows int) {
	h := e.config.Hidden
	if a != nil {
		if product(rows, 3*h) > buffers.MaxBytes/4 { // its largest buffer
			a.add(math.MaxInt64)
			return
		}
		for range e.config.context() / h {
			a.add(rnn.SequenceBytes(h, sentences, rows))
		}
		return
	}
	e.forwards = rnn.NewSequence(h, sentences, rows, false)
	if e.config.Kind == RNNsearch {
		e.backwards = rnn.NewSequence(h, sentences, rows, true)
	}
}

// forward computes the memory of a batch.
func (e *encoder) forward(k kernels.Impl, p *Parameters, m masks, batch []text.Example) *memory {
	e.arrange(batch)
	e.embeddingDropout.mask, e.annotationDropout.mask = m.source, m.annotations
	x, h, annotations := e.inputs(e.x), e.outputs(e.h), e.outputs(e.annotations)
	k.Embed(x, p.Source, e.ids[:x.Rows])
	e.embeddingDropout.apply(k, x, e.layout.sentenceMajor, 0)
	n := e.config.Hidden
	e.forwards.Forward(k, &p.Forward, &e.layout.Layout, h.Columns(0, n), x)
	if e.config.Kind == RNNsearch {
		e.backwards.Forward(k, &p.Backward, &e.layout.Layout, h.Columns(n, 2*n), x)
	}
	k.GatherRows(annotations, h, e.layout.timeMajor)
	e.annotationDropout.apply(k, annotations, e.owner, 0)
	e.remember(k, p)
	return &e.memory
}

// arrange orders the sentences and numbers their rows.
func (e *encoder) arrange(batch []text.Example) {
	e.layout.arrange(len(batch), func(i int) int { return len(batch[i].Source) })
	e.memory.arrange(e.layout.length)
	e.lastRow = e.lastRow[:len(batch)]
	for i, example := range batch {
		start := e.layout.start[i]
		for t, id := range example.Source {
			e.ids[e.layout.row(i, t)] = id
			e.owner[start+t] = int32(i)
		}
		e.lastRow[i] = int32(start) // the backward GRU ends at the first word
		if e.config.Kind == RNNencdec {
			e.lastRow[i] += int32(e.layout.length[i] - 1)
		}
	}
}

// remember computes initial states, keys and values from the annotations.
func (e *encoder) remember(k kernels.Impl, p *Parameters) {
	m, annotations, final := &e.memory, e.outputs(e.annotations), e.memory.states(e.final)
	k.GatherRows(final, e.finalColumns(annotations), e.lastRow)
	k.Linear(m.states(m.initial), p.Ws, final, p.Bs, kernels.Tanh)
	if e.config.Kind == RNNsearch {
		p.Attention.Keys(k, kernels.View(m.keys, annotations.Rows, e.config.Alignment), annotations)
	}
	k.Linear(kernels.View(m.values, m.total(), e.config.sums()), p.Context, e.attended(), nil, kernels.Identity)
}

// backward adds the gradients of the encoder's weights to g, given the gradient of the memory.
// It overwrites the values of the forward pass.
func (e *encoder) backward(k kernels.Impl, g *gradients) {
	e.rememberBackward(k, g)
	e.annotationDropout.apply(k, e.outputs(e.dannotations), e.owner, 0)
	dx, dh := e.inputs(e.dx), e.outputs(e.dh)
	k.GatherRows(dh, e.outputs(e.dannotations), e.layout.sentenceMajor)
	n, tr := e.config.Hidden, g.transposed
	e.forwards.Backward(k, &g.Forward, &tr.forward, dh.Columns(0, n), dx, false)
	if e.config.Kind == RNNsearch {
		e.backwards.Backward(k, &g.Backward, &tr.backward, dh.Columns(n, 2*n), dx, true)
	}
	e.embeddingDropout.apply(k, dx, e.layout.sentenceMajor, 0)
	k.ScatterRows(g.Source.Float32, dx, e.ids[:dx.Rows])
}

// rememberBackward computes the gradient of the annotations from the gradient of the memory.
func (e *encoder) rememberBackward(k kernels.Impl, g *gradients) {
	m, tr := &e.memory, g.transposed
	initial, dinitial := m.states(m.initial), m.states(m.dinitial)
	k.TanhBackward(dinitial.Data, initial.Data, dinitial.Data)
	k.LinearGrad(g.Ws.Float32, dinitial, m.states(e.final))
	k.SumRows(g.Bs, dinitial)
	attended, dvalues := e.attended(), kernels.View(m.dvalues, m.total(), e.config.sums())
	k.LinearGrad(g.Context.Float32, dvalues, attended)

	dannotations, dfinal := e.outputs(e.dannotations), m.states(e.dfinal)
	k.Linear(dfinal, tr.ws, dinitial, nil, kernels.Identity)
	if e.config.Kind == RNNsearch {
		dkeys := kernels.View(m.dkeys, dannotations.Rows, e.config.Alignment)
		k.Linear(dannotations, tr.context, dvalues, nil, kernels.Identity)
		tr.attention.KeysBackward(k, &g.Attention, dannotations, dkeys, attended)
	} else {
		k.Clear(dannotations.Data)
		k.LinearAdd(dfinal, tr.context, dvalues, kernels.Identity)
	}
	k.ScatterRows(e.finalColumns(dannotations), dfinal, e.lastRow)
}

// attended returns the annotations of the positions of the memory.
func (e *encoder) attended() kernels.Matrix {
	if e.config.Kind == RNNencdec {
		return e.memory.states(e.final)
	}
	return e.outputs(e.annotations)
}

// finalColumns returns the columns of the GRU whose final state s_0 is computed from.
func (e *encoder) finalColumns(annotations kernels.Matrix) kernels.Matrix {
	return annotations.Columns(annotations.Cols-e.config.Hidden, annotations.Cols)
}

// inputs returns all rows of a buffer of embeddings.
func (e *encoder) inputs(data []float32) kernels.Matrix {
	return kernels.View(data, e.layout.Rows(), e.config.Embedding)
}

// outputs returns all rows of a buffer of annotations.
func (e *encoder) outputs(data []float32) kernels.Matrix {
	return kernels.View(data, e.layout.Rows(), e.config.context())
}

// A memory is what the decoder reads of the source sentences of a batch: the initial state of
// each, and a key and a value for each position that it attends to, sentence-major. The positions
// are all annotations of a sentence, or for RNNencdec its last one alone. The encoder computes
// the memory, the decoder its gradient.
type memory struct {
	config Config
	offset []int // sentence i has positions offset[i] to offset[i+1]-1

	initial []float32 // sentences×H: s_0
	keys    []float32 // positions×A; RNNencdec has none
	values  []float32 // positions×(3H+2L): [Cz; Cr; C; Co]·h_j
	*memoryGradients
}

// memoryGradients are the gradients of the buffers of the same names.
type memoryGradients struct{ dinitial, dkeys, dvalues []float32 }

func newMemory(a *allocator, c Config, sentences, positions int, training bool) memory {
	units := c.Alignment
	if c.Kind == RNNencdec {
		units = 0
	}
	m := memory{
		config: c, offset: a.ints(sentences + 1),
		initial: a.floats(sentences, c.Hidden), keys: a.floats(positions, units), values: a.floats(positions, c.sums()),
	}
	if training {
		m.memoryGradients = &memoryGradients{
			dinitial: a.floats(sentences, c.Hidden), dkeys: a.floats(positions, units), dvalues: a.floats(positions, c.sums()),
		}
	}
	return m
}

// arrange lays out the positions of sentences of these lengths.
func (m *memory) arrange(lengths []int) {
	m.offset = m.offset[:len(lengths)+1]
	for i, length := range lengths {
		m.offset[i+1] = m.offset[i] + m.config.positions(length)
	}
}

func (m *memory) sentences() int { return len(m.offset) - 1 }

// positions returns the number of positions of sentence i.
func (m *memory) positions(i int) int { return m.offset[i+1] - m.offset[i] }

// total returns the number of positions of all sentences.
func (m *memory) total() int { return m.offset[m.sentences()] }

// sentence returns the rows of sentence i in a buffer with a row of cols columns per position.
func (m *memory) sentence(data []float32, cols, i int) kernels.Matrix {
	return kernels.View(data[m.offset[i]*cols:], m.positions(i), cols)
}

// states returns initial, or its gradient, as a matrix.
func (m *memory) states(data []float32) kernels.Matrix {
	return kernels.View(data, m.sentences(), m.config.Hidden)
}
