package model

import (
	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/rnn"
)

// Parameters are all weights of a model, or the gradients of all of them. Matrices are packed
// for the kernels, embeddings are row-major. C is the size of a context: 2H for RNNsearch, H for
// RNNencdec.
type Parameters struct {
	Values     []float32 // holds every field below
	embeddings int       // length of Source and Target in Values, where they come first

	Source, Target    kernels.Matrix // embeddings, vocabulary×E
	Forward, Backward rnn.GRU        // encoder; RNNencdec has no Backward
	Ws                kernels.Packed // H×H: s_0 = tanh(Ws ←h_1 + bs), with →h_S for RNNencdec
	Bs                []float32
	Decoder           rnn.GRU
	Context           kernels.Packed  // (3H+2L)×C: [Cz; Cr; C; Co]
	Attention         attention.Model // RNNencdec has none
	Uo, Vo            kernels.Packed  // 2L×H, 2L×E
	Bo                []float32
	Wo                kernels.Packed // target vocabulary×L
	B                 []float32
}

// newParameters returns zeros for a model of configuration c.
func newParameters(a *allocator, c Config) *Parameters {
	p := &Parameters{}
	var size arena
	p.bind(c, &size)
	p.Values = a.floats(size.used)
	p.bind(c, &arena{values: p.Values})
	return p
}

// bind makes every field of p a view of the arena.
func (p *Parameters) bind(c Config, a *arena) {
	e, h, ctx := c.Embedding, c.Hidden, c.context()
	p.Source = a.matrix(c.SourceVocab, e)
	p.Target = a.matrix(c.TargetVocab, e)
	p.embeddings = a.used
	p.Forward = a.gru(h, e)
	if c.Kind == RNNsearch {
		p.Backward = a.gru(h, e)
		p.Attention = a.attention(c)
	}
	p.Ws, p.Bs = a.packed(h, h), a.vector(h)
	p.Decoder, p.Context = a.gru(h, e), a.packed(c.sums(), ctx)
	p.Uo, p.Vo = a.packed(2*c.Maxout, h), a.packed(2*c.Maxout, e)
	p.Bo = a.vector(2 * c.Maxout)
	p.Wo, p.B = a.packed(c.TargetVocab, c.Maxout), a.vector(c.TargetVocab)
}

// dense returns the values of everything except the embeddings.
func (p *Parameters) dense() []float32 { return p.Values[p.embeddings:] }

// count returns the number of weights of a model, padding excluded.
func (c Config) count() int64 {
	var a arena
	(&Parameters{}).bind(c, &a)
	return a.weights
}

// An arena hands out consecutive views of one slice, each aligned to a cache line. Without
// values it only adds up their lengths.
type arena struct {
	values  []float32
	used    int
	weights int64 // without padding
}

func (a *arena) gru(h, e int) rnn.GRU {
	return rnn.GRU{W: a.packed(3*h, e), B: a.vector(3 * h), Uzr: a.packed(2*h, h), U: a.packed(h, h)}
}

// attention returns the weights of the alignment model.
func (a *arena) attention(c Config) attention.Model {
	units, ctx := c.Alignment, c.context()
	switch c.AlignmentModel {
	case Additive:
		return attention.Model{Wa: a.packed(units, c.Hidden), Ua: a.packed(units, ctx), Va: a.vector(units)}
	case General:
		return attention.Model{Ua: a.packed(units, ctx)}
	}
	return attention.Model{}
}

func (a *arena) matrix(rows, cols int) kernels.Matrix {
	a.weights += int64(rows) * int64(cols)
	return kernels.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: a.take(rows * cols)}
}

func (a *arena) packed(out, in int) kernels.Packed {
	a.weights += int64(out) * int64(in)
	return kernels.Packed{Out: out, In: in, Data: a.take(kernels.PackedLen(out, in))}
}

func (a *arena) vector(n int) []float32 {
	a.weights += int64(n)
	return a.take(n)
}

// take returns the next n values, none if the arena only counts.
func (a *arena) take(n int) []float32 {
	const line = 16 // values in a cache line
	from := a.used
	a.used += (n + line - 1) / line * line
	if a.values == nil {
		return nil
	}
	return a.values[from : from+n : from+n]
}
