package model

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/rnn"
)

// An encoder computes from a batch of source sentences all that the decoder reads: the first
// states, and keys and values of the positions that it attends to. These are all annotations,
// or for RNNencdec the last one of each sentence. The GRUs work on rows that are time-major;
// the rest lies sentence by sentence, so that attention reads it in one stretch.
type encoder struct {
	config Config
	arrangement
	words []int32 // of the time-major rows
	owner []int32 // owner[row] is the sentence of a row sentence by sentence
	ends  []int32 // ends[sentence] is the row of the annotation that ends with its summary

	single *rnn.Sequence      // RNNencdec
	both   *rnn.Bidirectional // RNNsearch

	x, h              []float32 // rows×E and rows×C, time-major
	annotations, keys []float32 // rows×C and rows×A
	summaries, first  []float32 // sentences×H: ←h_1, or →h_S for RNNencdec, and s_0
	values            []float32 // positions×(3H+2L): what a position adds to the decoder's sums

	*encoderGradients
}

// encoderGradients are the gradients of the buffers of the same names.
type encoderGradients struct {
	dx, dh              []float32
	dannotations, dkeys []float32
	dsummaries, dfirst  []float32
	dvalues             []float32
}

func newEncoder(c Config, sentences, length int, training bool) *encoder {
	rows, ctx := sentences*length, c.context()
	e := &encoder{
		config:      c,
		arrangement: newArrangement(sentences, length),
		words:       make([]int32, rows), owner: make([]int32, rows), ends: make([]int32, sentences),
		x: kernels.Alloc(rows * c.Embedding),
		h: kernels.Alloc(rows * ctx), annotations: kernels.Alloc(rows * ctx),
		summaries: kernels.Alloc(sentences * c.Hidden), first: kernels.Alloc(sentences * c.Hidden),
		values: kernels.Alloc(sentences * c.positions(length) * c.sums()),
	}
	if c.Kind == RNNsearch {
		e.both = rnn.NewBidirectional(c.Hidden, sentences, rows)
		e.keys = kernels.Alloc(rows * c.Alignment)
	} else {
		e.single = rnn.NewSequence(c.Hidden, sentences, rows, false)
	}
	if training {
		e.encoderGradients = &encoderGradients{
			dx: kernels.Alloc(len(e.x)), dh: kernels.Alloc(len(e.h)),
			dannotations: kernels.Alloc(len(e.annotations)), dkeys: kernels.Alloc(len(e.keys)),
			dsummaries: kernels.Alloc(len(e.summaries)), dfirst: kernels.Alloc(len(e.first)),
			dvalues: kernels.Alloc(len(e.values)),
		}
	}
	return e
}

// lay orders the sentences by length and numbers their rows.
func (e *encoder) lay(batch []text.Example) {
	e.arrange(len(batch), func(i int) int { return len(batch[i].Source) })
	e.ends = e.ends[:len(batch)]
	for i, pair := range batch {
		for t, word := range pair.Source {
			e.words[e.timed[e.start[i]+t]] = word
			e.owner[e.start[i]+t] = int32(i)
		}
		e.ends[i] = int32(e.start[i])
		if e.config.Kind == RNNencdec {
			e.ends[i] += int32(e.length[i] - 1)
		}
	}
}

// forward computes everything from the words on, with the masks m or none.
func (e *encoder) forward(k kernels.Impl, p *Parameters, m *masks, batch []text.Example) {
	e.lay(batch)
	x, h, all := e.inputs(e.x), e.outputs(e.h), e.outputs(e.annotations)
	k.GatherRows(x, p.Source, e.words[:x.Rows])
	m.source(k, x, e)
	if e.config.Kind == RNNsearch {
		e.both.Forward(k, &p.Forward, &p.Backward, &e.layout, h, x)
	} else {
		e.single.Forward(k, &p.Forward, &e.layout, h, x)
	}
	k.GatherRows(all, h, e.timed)
	m.context(k, all, e)
	k.GatherRows(e.states(e.summaries), e.summarised(all), e.ends)
	k.Gemm(e.states(e.first), p.Ws, e.states(e.summaries), p.Bs, kernels.Tanh)
	if e.config.Kind == RNNsearch {
		p.Attention.Keys(k, kernels.View(e.keys, all.Rows, e.config.Alignment), all)
	}
	attended := e.attended()
	k.Gemm(kernels.View(e.values, attended.Rows, e.config.sums()), p.Context, attended, nil, kernels.Identity)
}

// attended returns what the decoder attends to: all annotations, or the summaries.
func (e *encoder) attended() kernels.Matrix {
	if e.config.Kind == RNNencdec {
		return e.states(e.summaries)
	}
	return e.outputs(e.annotations)
}

// positions returns the number of positions of sentence i among those.
func (e *encoder) positions(i int) int { return e.config.positions(e.length[i]) }

// sentence returns the positions of one sentence in a buffer of cols columns.
func (e *encoder) sentence(data []float32, cols, i int) kernels.Matrix {
	if e.config.Kind == RNNencdec {
		return kernels.View(data[i*cols:], 1, cols)
	}
	return kernels.View(data[e.start[i]*cols:], e.length[i], cols)
}

// inputs, outputs and states return all rows of a buffer of embeddings, of annotations and of
// decoder states.
func (e *encoder) inputs(data []float32) kernels.Matrix {
	return kernels.View(data, e.layout.Rows(), e.config.Embedding)
}

func (e *encoder) outputs(data []float32) kernels.Matrix {
	return kernels.View(data, e.layout.Rows(), e.config.context())
}

func (e *encoder) states(data []float32) kernels.Matrix {
	return kernels.View(data, len(e.order), e.config.Hidden)
}

// summarised returns the columns of annotations that summaries are taken from.
func (e *encoder) summarised(annotations kernels.Matrix) kernels.Matrix {
	return annotations.Columns(annotations.Cols-e.config.Hidden, annotations.Cols)
}
