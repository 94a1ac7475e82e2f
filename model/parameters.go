package model

import (
	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/rnn"
)

// Parameters are all weights of a model, or the gradients of all of them, in one slice:
// matrices packed for the kernels, embeddings row-major. C stands for the values of a
// context: 2H for RNNsearch, H for RNNencdec.
type Parameters struct {
	Values   []float32
	embedded int // values of Source and Target, which come first

	Source, Target    kernels.Matrix // embeddings, vocabulary×E
	Forward, Backward rnn.GRU        // encoder; RNNencdec has no Backward
	Ws                kernels.Packed // H×H: s_0 = tanh(Ws ←h_1 + bs), or →h_S for RNNencdec
	Bs                []float32
	Decoder           rnn.GRU
	Context           kernels.Packed  // (3H+2L)×C: [Cz; Cr; C; Co]
	Attention         attention.Model // RNNencdec has none
	Uo, Vo            kernels.Packed  // 2L×H, 2L×E
	Bo                []float32
	Wo                kernels.Packed // target vocabulary×L
	B                 []float32
}

// newParameters returns zeros for a model of that configuration.
func newParameters(c Config) *Parameters {
	p := &Parameters{}
	var a arena
	p.bind(c, &a)
	p.Values = kernels.Alloc(a.used)
	p.bind(c, &arena{values: p.Values})
	return p
}

// bind makes every part of p a view of the arena.
func (p *Parameters) bind(c Config, a *arena) {
	e, h, ctx := c.Embedding, c.Hidden, c.context()
	p.Source = a.matrix(c.SourceVocab, e)
	p.Target = a.matrix(c.TargetVocab, e)
	p.embedded = a.used
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

// dense returns the values of everything but the embeddings.
func (p *Parameters) dense() []float32 { return p.Values[p.embedded:] }

// count returns the number of parameters of a model.
func (c Config) count() int64 {
	var a arena
	(&Parameters{}).bind(c, &a)
	return a.parameters
}

// An arena hands out views of one slice, each on a cache line; without values it counts.
type arena struct {
	values     []float32
	used       int
	parameters int64 // without padding
}

func (a *arena) vector(n int) []float32 {
	a.parameters += int64(n)
	return a.take(n)
}

func (a *arena) take(n int) []float32 {
	const line = 16
	from := a.used
	a.used += (n + line - 1) / line * line
	if a.values == nil {
		return nil
	}
	return a.values[from : from+n : from+n]
}

func (a *arena) matrix(rows, cols int) kernels.Matrix {
	a.parameters += int64(rows) * int64(cols)
	return kernels.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: a.take(rows * cols)}
}

func (a *arena) packed(out, in int) kernels.Packed {
	a.parameters += int64(out) * int64(in)
	return kernels.Packed{Out: out, In: in, Data: a.take(kernels.PackedLen(out, in))}
}

func (a *arena) gru(h, e int) rnn.GRU {
	return rnn.GRU{W: a.packed(3*h, e), B: a.vector(3 * h), Uzr: a.packed(2*h, h), U: a.packed(h, h)}
}

// transposed are the transposes that the backward pass multiplies with.
type transposed struct {
	forward, backward, decoder rnn.Transposed
	attention                  attention.Transposed
	ws, context, uo, vo, wo    kernels.Packed
}

func newTransposed(c Config) *transposed {
	var count arena
	t := &transposed{}
	t.bind(c, &count)
	t.bind(c, &arena{values: kernels.Alloc(count.used)})
	return t
}

func (t *transposed) bind(c Config, a *arena) {
	e, h, ctx := c.Embedding, c.Hidden, c.context()
	gru := func() rnn.Transposed {
		return rnn.Transposed{W: a.packed(e, 3*h), Uzr: a.packed(h, 2*h), U: a.packed(h, h)}
	}
	t.forward, t.decoder = gru(), gru()
	if c.Kind == RNNsearch {
		t.backward = gru()
		t.attention = a.transposedAttention(c)
	}
	t.ws, t.context = a.packed(h, h), a.packed(ctx, c.sums())
	t.uo, t.vo = a.packed(h, 2*c.Maxout), a.packed(e, 2*c.Maxout)
	t.wo = a.packed(c.Maxout, c.TargetVocab)
}

// set transposes the weights of p.
func (t *transposed) set(k kernels.Impl, c Config, p *Parameters) {
	t.forward.Set(k, &p.Forward)
	t.decoder.Set(k, &p.Decoder)
	if c.Kind == RNNsearch {
		t.backward.Set(k, &p.Backward)
		t.attention.Set(k, &p.Attention)
	}
	k.Transpose(t.ws, p.Ws)
	k.Transpose(t.context, p.Context)
	k.Transpose(t.uo, p.Uo)
	k.Transpose(t.vo, p.Vo)
	k.Transpose(t.wo, p.Wo)
}
