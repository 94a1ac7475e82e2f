package model

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/rnn"
)

// Parameters are all weights of a model, or the gradients of all of them. Matrices are packed
// for the kernels, embeddings are row-major. Vectors are of float32, and so are the matrices unless
// Config.Weights says otherwise. C is the size of a context: 2H for RNNsearch, H for RNNencdec.
type Parameters struct {
	Values     []float32 // holds everything below that is float32, except for the scales of int8
	embeddings int       // length of Source and Target in Values, where they come first

	Source, Target    kernels.Table   // embeddings, vocabulary×E
	Forward, Backward rnn.GRU         // encoder; RNNencdec has no Backward
	Ws                kernels.Weights // H×H: s_0 = tanh(Ws ←h_1 + bs), with →h_S for RNNencdec
	Bs                []float32
	Decoder           rnn.GRU
	Context           kernels.Weights // (3H+2L)×C: [Cz; Cr; C; Co]
	Attention         attention.Model // RNNencdec has none
	Uo, Vo            kernels.Weights // 2L×H, 2L×E
	Bo                []float32
	Wo                kernels.Weights // target vocabulary×L
	B                 []float32
}

// newParameters returns zeros for a model of configuration c.
func newParameters(a *allocator, c Config) *Parameters {
	p, size := &Parameters{}, c.sizes()
	p.Values = a.floats(size.used)
	p.bind(c, &arena{precision: c.Weights, values: p.Values, int8s: size.newInt8s(a)})
	return p
}

// bind makes every field of p a view of the arena.
func (p *Parameters) bind(c Config, a *arena) {
	e, h, ctx := c.Embedding, c.Hidden, c.context()
	p.Source = a.table(c.SourceVocab, e)
	p.Target = a.table(c.TargetVocab, e)
	p.embeddings = a.used
	p.Forward = a.gru(h, e)
	if c.Kind == RNNsearch {
		p.Backward = a.gru(h, e)
		p.Attention = a.attention(c)
	}
	p.Ws, p.Bs = a.matrix(h, h), a.vector(h)
	p.Decoder, p.Context = a.gru(h, e), a.matrix(c.sums(), ctx)
	p.Uo, p.Vo = a.matrix(2*c.Maxout, h), a.matrix(2*c.Maxout, e)
	p.Bo = a.vector(2 * c.Maxout)
	p.Wo, p.B = a.matrix(c.TargetVocab, c.Maxout), a.vector(c.TargetVocab)
}

// check returns an error that wraps ErrConfig unless p are parameters of newParameters for c.
func (p *Parameters) check(c Config) error {
	if p == nil {
		return fmt.Errorf("%w: model without parameters", ErrConfig)
	}
	if n := c.sizes().used; len(p.Values) != n {
		return fmt.Errorf("%w: parameters of %d values, expected %d", ErrConfig, len(p.Values), n)
	}
	var want Parameters
	want.bind(c, &arena{precision: c.Weights, values: p.Values})
	got, expected := p.views(), want.views()
	for i := range got {
		if !got[i].valid || !got[i].equal(expected[i]) {
			return fmt.Errorf("%w: parameters of another architecture", ErrConfig)
		}
	}
	return nil
}

// A view is a field of Parameters: a matrix, or a vector as its only row.
type view struct {
	rows, cols, stride int
	data               []float32 // none if the values are int8
	int8, valid        bool
}

// equal reports whether two views have the same shape, and the same values in memory if they are of
// float32.
func (v view) equal(w view) bool {
	return v.rows == w.rows && v.cols == w.cols && v.stride == w.stride && v.int8 == w.int8 &&
		len(v.data) == len(w.data) && (len(v.data) == 0 || &v.data[0] == &w.data[0])
}

// views lists the fields of p.
func (p *Parameters) views() [25]view {
	matrix := func(t kernels.Table) view {
		m := t.Float32
		return view{t.Rows(), t.Cols(), m.Stride, m.Data, t.IsInt8(), t.Valid()}
	}
	packed := func(w kernels.Weights) view {
		return view{w.Out(), w.In(), w.In(), w.Float32.Data, w.IsInt8(), w.Valid()}
	}
	vector := func(v []float32) view { return view{1, len(v), len(v), v, false, true} }
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

// weights lists the matrices of p.
func (p *Parameters) weights() [16]*kernels.Weights {
	f, b, d, a := &p.Forward, &p.Backward, &p.Decoder, &p.Attention
	return [...]*kernels.Weights{
		&f.W, &f.Uzr, &f.U, &b.W, &b.Uzr, &b.U, &p.Ws, &d.W, &d.Uzr, &d.U, &p.Context, &a.Wa, &a.Ua, &p.Uo, &p.Vo, &p.Wo,
	}
}

// newRounded returns p with zeros of bfloat16 for matrices, and the same vectors and embeddings.
func newRounded(a *allocator, p *Parameters) *Parameters {
	r := *p
	for _, w := range r.weights() {
		*w = kernels.Weights{BF16: a.packedBF16(w.Out(), w.In())}
	}
	return &r
}

// round sets the matrices of p, which newRounded returned, to those of float32, rounded.
func (p *Parameters) round(k kernels.Impl, float32s *Parameters) {
	to := p.weights()
	for i, w := range float32s.weights() {
		k.RoundPackedBF16(to[i].BF16, w.Float32)
	}
}

// dense returns the values of everything except the embeddings.
func (p *Parameters) dense() []float32 { return p.Values[p.embeddings:] }

// NumParameters returns the number of weights of a model.
func (c Config) NumParameters() int64 { return c.sizes().weights }

// count returns the number of weights of a model, and what they take in bytes, with padding, or
// math.MaxInt if that overflows.
func (c Config) count() (weights int64, bytes int) {
	a := c.sizes()
	return a.weights, total(product(a.used, 4), total(a.usedInt8, a.bytes))
}

// sizes returns an arena that has counted the parameters of a model.
func (c Config) sizes() arena {
	a := arena{precision: c.Weights}
	new(Parameters).bind(c, &a)
	return a
}

// An arena hands out consecutive views of one slice of float32 and of one of int8, each aligned to a
// cache line. Without a slice it only adds up sizes.
type arena struct {
	precision Precision // of matrices and tables
	values    []float32
	int8s     []int8

	used     int   // values; math.MaxInt if it overflows
	usedInt8 int   // the same of int8
	bytes    int   // of tables and scales of int8; math.MaxInt if it overflows
	weights  int64 // without padding
	scales   int64 // of the rows of int8
}

func (a *arena) gru(h, e int) rnn.GRU {
	return rnn.GRU{W: a.matrix(3*h, e), B: a.vector(3 * h), Uzr: a.matrix(2*h, h), U: a.matrix(h, h)}
}

// attention returns the weights of the alignment model.
func (a *arena) attention(c Config) attention.Model {
	units, ctx := c.Alignment, c.context()
	switch c.AlignmentModel {
	case Additive:
		return attention.Model{Wa: a.matrix(units, c.Hidden), Ua: a.matrix(units, ctx), Va: a.vector(units)}
	case General:
		return attention.Model{Ua: a.matrix(units, ctx)}
	}
	return attention.Model{}
}

// table returns an embedding.
func (a *arena) table(rows, cols int) kernels.Table {
	a.weights += int64(rows) * int64(cols)
	if a.precision == Int8 {
		a.scales += int64(rows)
		a.bytes = total(a.bytes, product(rows, rowBytes(cols)))
		if a.int8s == nil {
			return kernels.Table{Int8: kernels.RowsInt8{Rows: rows, Cols: cols}}
		}
		return kernels.Table{Int8: kernels.NewRowsInt8(rows, cols)}
	}
	return kernels.Table{Float32: kernels.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: a.take(product(rows, cols))}}
}

// matrix returns the weights of a product.
func (a *arena) matrix(out, in int) kernels.Weights {
	if a.precision != Int8 {
		return kernels.Weights{Float32: a.packed(out, in)}
	}
	a.weights += int64(out) * int64(in)
	a.scales += int64(out)
	a.bytes = total(a.bytes, product(out, 4))
	w := kernels.PackedInt8{Out: out, In: in, Data: a.takeInt8(lengthOf(kernels.PackedInt8LenOK, kernels.PackedInt8Len, out, in))}
	if w.Data != nil {
		w.Scales = make([]float32, out)
	}
	return kernels.Weights{Int8: w}
}

// packed returns a matrix of float32, whatever the precision.
func (a *arena) packed(out, in int) kernels.Packed {
	a.weights += int64(out) * int64(in)
	return kernels.Packed{Out: out, In: in, Data: a.take(packedLen(out, in))}
}

func (a *arena) vector(n int) []float32 {
	a.weights += int64(n)
	return a.take(n)
}

// packedLen is kernels.PackedLen, or math.MaxInt if that overflows.
func packedLen(out, in int) int { return lengthOf(kernels.PackedLenOK, kernels.PackedLen, out, in) }

// lengthOf returns length(out, in), or math.MaxInt unless ok.
func lengthOf(ok func(out, in int) bool, length func(out, in int) int, out, in int) int {
	if !ok(out, in) {
		return math.MaxInt
	}
	return length(out, in)
}

// newInt8s returns the slice of int8 for what a has counted, none for other precisions.
func (a *arena) newInt8s(allocator *allocator) []int8 {
	if allocator != nil {
		allocator.count(total(a.usedInt8, a.bytes), 1)
		return nil
	}
	if a.precision != Int8 {
		return nil
	}
	return kernels.AllocInt8(a.usedInt8)
}

// takeInt8 returns the next n values of int8, a multiple of a cache line, none if the arena only counts.
func (a *arena) takeInt8(n int) []int8 {
	from := a.usedInt8
	a.usedInt8 = total(from, n)
	if a.int8s == nil {
		return nil
	}
	return a.int8s[from:a.usedInt8:a.usedInt8]
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
