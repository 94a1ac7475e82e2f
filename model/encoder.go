package model

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/rnn"
)

// An encoder computes the annotations of a batch of source sentences. The GRUs work on
// sentences ordered by length, time-major; annotations and keys lie sentence by sentence,
// so that attention reads them in one stretch.
type encoder struct {
	config Config
	arrangement
	start []int // start[sentence] is its first row among the annotations
	words []int32
	place []int32 // place[row] is the row among the annotations
	timed []int32 // the inverse of place

	single *rnn.Sequence      // RNNencdec
	both   *rnn.Bidirectional // RNNsearch

	x, h              []float32 // rows×E and rows×C, time-major
	annotations, keys []float32 // rows×C and rows×A, sentence by sentence

	dx, dh, dannotations, dkeys []float32 // gradients, only for training
}

func newEncoder(c Config, sentences, length int, training bool) *encoder {
	rows, ctx := sentences*length, c.context()
	e := &encoder{
		config:      c,
		arrangement: newArrangement(sentences, length),
		start:       make([]int, sentences), words: make([]int32, rows),
		place: make([]int32, rows), timed: make([]int32, rows),
		x: kernels.Alloc(rows * c.Embedding),
		h: kernels.Alloc(rows * ctx), annotations: kernels.Alloc(rows * ctx),
	}
	if c.Kind == Search {
		e.both = rnn.NewBidirectional(c.Hidden, sentences, rows)
		e.keys = kernels.Alloc(rows * c.Alignment)
	} else {
		e.single = rnn.NewSequence(c.Hidden, sentences, rows, false)
	}
	if training {
		e.dx, e.dh = kernels.Alloc(rows*c.Embedding), kernels.Alloc(rows*ctx)
		e.dannotations, e.dkeys = kernels.Alloc(rows*ctx), kernels.Alloc(len(e.keys))
	}
	return e
}

// lay orders the sentences by length and numbers their rows.
func (e *encoder) lay(batch []text.Example) {
	e.arrange(len(batch), func(i int) int { return len(batch[i].Source) })
	e.start = e.start[:len(batch)]
	row := 0
	for i, n := range e.length {
		e.start[i] = row
		row += n
	}
	for t := range e.layout.Steps() {
		for i := range e.layout.Active(t) {
			row, sentence := e.layout.Row(t)+i, e.order[i]
			e.words[row] = batch[sentence].Source[t]
			e.place[row] = int32(e.start[sentence] + t)
			e.timed[e.place[row]] = int32(row)
		}
	}
}

// forward computes annotations and keys of the batch.
func (e *encoder) forward(k kernels.Impl, p *Parameters, batch []text.Example) {
	e.lay(batch)
	rows, x, h := e.layout.Rows(), e.inputs(), e.states()
	k.GatherRows(x, p.Source, e.words[:rows])
	if e.config.Kind == Search {
		e.both.Forward(k, &p.Forward, &p.Backward, &e.layout, h, x)
	} else {
		e.single.Forward(k, &p.Forward, &e.layout, h, x)
	}
	all := e.view(e.annotations)
	k.GatherRows(all, h, e.timed[:rows])
	if e.config.Kind == Search {
		p.Attention.Keys(k, kernels.View(e.keys, rows, e.config.Alignment), all)
	}
}

// backward adds the gradients of the encoder's weights to g, for the gradients of the
// annotations and keys.
func (e *encoder) backward(k kernels.Impl, g *Parameters, tr *transposed, scratch []float32) {
	rows, x, h := e.layout.Rows(), e.inputs(), e.states()
	all, dh := e.view(e.dannotations), e.view(e.dh)
	dx := kernels.View(e.dx, rows, e.config.Embedding)
	if e.config.Kind == Search {
		dkeys := kernels.View(e.dkeys, rows, e.config.Alignment)
		tr.attention.KeysBackward(k, &g.Attention, all, dkeys, e.view(e.annotations), scratch)
	}
	k.GatherRows(dh, all, e.place[:rows])
	if e.config.Kind == Search {
		e.both.Backward(k, &g.Forward, &g.Backward, &tr.forward, &tr.backward, &e.layout, h, dh, x, dx, scratch)
	} else {
		e.single.Backward(k, &g.Forward, &tr.forward, &e.layout, h, dh, x, dx, false, scratch)
	}
	k.ScatterRows(g.Source, dx, e.words[:rows])
}

// clearGradients zeros what the decoder's backward pass adds to.
func (e *encoder) clearGradients(k kernels.Impl) {
	rows := e.layout.Rows()
	k.Clear(e.dannotations[:rows*e.config.context()])
	if e.config.Kind == Search {
		k.Clear(e.dkeys[:rows*e.config.Alignment])
	}
}

func (e *encoder) inputs() kernels.Matrix {
	return kernels.View(e.x, e.layout.Rows(), e.config.Embedding)
}

func (e *encoder) states() kernels.Matrix { return e.view(e.h) }

// view returns all rows of a buffer of annotations.
func (e *encoder) view(data []float32) kernels.Matrix {
	return kernels.View(data, e.layout.Rows(), e.config.context())
}

// sentence returns the rows of one sentence in a buffer of cols columns.
func (e *encoder) sentence(data []float32, cols, i int) kernels.Matrix {
	return kernels.View(data[e.start[i]*cols:], e.length[i], cols)
}

// summary returns the state that the decoder starts from, in a buffer of annotations: ←h_1
// of sentence i, or →h_S for RNNencdec.
func (e *encoder) summary(data []float32, i int) []float32 {
	rows := e.sentence(data, e.config.context(), i)
	if e.config.Kind == Search {
		return rows.Row(0)[e.config.Hidden:]
	}
	return rows.Row(rows.Rows - 1)
}
