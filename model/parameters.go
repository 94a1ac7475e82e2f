package model

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/limits"
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

// check returns an error that wraps ErrConfig unless p are parameters of newParameters for c.
func (p *Parameters) check(c Config) error {
	if p == nil {
		return fmt.Errorf("model: %w: model without parameters", ErrConfig)
	}
	if _, n := c.count(); len(p.Values) != n {
		return fmt.Errorf("model: %w: parameters of %d values, expected %d", ErrConfig, len(p.Values), n)
	}
	var want Parameters
	want.bind(c, &arena{values: p.Values})
	got, expected := p.views(), want.views()
	for i := range got {
		if !got[i].equal(expected[i]) {
			return fmt.Errorf("model: %w: parameters of another architecture", ErrConfig)
		}
	}
	return nil
}

// A view is a field of Parameters: a matrix, or a vector as its only row.
type view struct {
	rows, cols, stride int
	data               []float32
}

// equal reports whether two views are of the same values in memory.
func (v view) equal(w view) bool {
	return v.rows == w.rows && v.cols == w.cols && v.stride == w.stride &&
		len(v.data) == len(w.data) && (len(v.data) == 0 || &v.data[0] == &w.data[0])
}

// views lists the fields of p.
func (p *Parameters) views() [25]view {
	matrix := func(m kernels.Matrix) view { return view{m.Rows, m.Cols, m.Stride, m.Data} }
	packed := func(w kernels.Packed) view { return view{w.Out, w.In, w.In, w.Data} }
	vector := func(v []float32) view { return view{1, len(v), len(v), v} }
	f, b, d, a := &p.Forward, &p.Backward, &p.Decoder, &p.Attention
	return [...]view{
		matrix(p.Source), matrix(p.Target),
		packed(f.W), vector(f.B), packed(f.Uzr), packed(f.U),
		packed(b.W), vector(b.B), packed(b.Uzr), packed(b.U),
		packed(p.Ws), vector(p.Bs),
		packed(d.W), vector(d.B), packed(d.Uzr), packed(d.U),
		packed(p.Context), packed(a.Wa), packed(a.Ua), vector(a.Va),
		packed(p.Uo), packed(p.Vo), vector(p.Bo), packed(p.Wo), vector(p.B),
	}
}

// dense returns the values of everything except the embeddings.
func (p *Parameters) dense() []float32 { return p.Values[p.embeddings:] }

// count returns the number of weights of a model, and their length in Parameters.Values, with
// padding, or math.MaxInt if that overflows.
func (c Config) count() (weights int64, values int) {
	var a arena
	(&Parameters{}).bind(c, &a)
	return a.weights, a.used
}

// An arena hands out consecutive views of one slice, each aligned to a cache line. Without
// values it only adds up their lengths.
type arena struct {
	values  []float32
	used    int   // math.MaxInt if it overflows
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
	return kernels.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: a.take(product(rows, cols))}
}

func (a *arena) packed(out, in int) kernels.Packed {
	a.weights += int64(out) * int64(in)
	return kernels.Packed{Out: out, In: in, Data: a.take(packedLen(out, in))}
}

func (a *arena) vector(n int) []float32 {
	a.weights += int64(n)
	return a.take(n)
}

// packedLen is kernels.PackedLen, which is at most (out+15)·(in+1), or math.MaxInt if that
// overflows.
func packedLen(out, in int) int {
	if n := product(out+15, in+1); n > limits.Bytes/4 {
		return math.MaxInt
	}
	return kernels.PackedLen(out, in)
}

// take returns the next n values, none if the arena only counts.
func (a *arena) take(n int) []float32 {
	const line = 16 // values in a cache line
	from := a.used
	if n > math.MaxInt-line || n > math.MaxInt-line-from {
		a.used = math.MaxInt
		return nil
	}
	a.used += (n + line - 1) / line * line
	if a.values == nil {
		return nil
	}
	return a.values[from : from+n : from+n]
}
