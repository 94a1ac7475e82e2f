package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unsafe"

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
func newParameters(a *allocator, c Config) *Parameters { return newParametersBefore(a, c, 0) }

// newParametersBefore is newParameters with zeros in the capacity of Values: that many follow the
// parameters in memory.
func newParametersBefore(a *allocator, c Config, more int) *Parameters {
	p, size := &Parameters{}, c.sizes()
	p.Values = a.floats(total(size.used, more))
	p.Values = p.Values[:min(size.used, len(p.Values))] // an allocator that counts returns none
	p.bind(c, &arena{precision: c.Weights, values: p.Values, int8s: size.newInt8s(a)})
	return p
}

// A parameter is a matrix, an embedding or a vector of Parameters.
type parameter struct {
	matrix, transposed *kernels.Weights // transposed is for the gradients of inputs
	table              *kernels.Table
	vector             *[]float32
	rows, cols         int
	members            [4]member // all rows; the last ones may be empty
}

// A member is those rows of a parameter that are a tensor of model files.
type member struct {
	layer, letter string // its name
	rows          int
}

// each calls f with each parameter of a model, in the order of memory, and its transpose in t. p and t
// may be nil; f then must not use what it is given of them. Everything else about parameters follows
// from this list.
func (p *Parameters) each(c Config, t *transposed, f func(parameter)) {
	if p == nil {
		p = &noParameters
	}
	if t == nil {
		t = &noTransposed
	}
	add := func(q parameter, members ...member) {
		copy(q.members[:], members)
		for _, m := range members {
			q.rows += m.rows
		}
		f(q)
	}
	e, h, ctx, readout := c.Embedding, c.Hidden, c.context(), 2*c.Maxout
	gru := func(layer string, g *rnn.GRU, t *rnn.Transposed) {
		add(parameter{matrix: &g.W, transposed: &t.W, cols: e}, member{layer, "Wz", h}, member{layer, "Wr", h}, member{layer, "W", h})
		add(parameter{vector: &g.B}, member{layer, "bz", h}, member{layer, "br", h}, member{layer, "b", h})
		add(parameter{matrix: &g.Uzr, transposed: &t.Uzr, cols: h}, member{layer, "Uz", h}, member{layer, "Ur", h})
		add(parameter{matrix: &g.U, transposed: &t.U, cols: h}, member{layer, "U", h})
	}
	add(parameter{table: &p.Source, cols: e}, member{"source", "embedding", c.SourceVocab})
	add(parameter{table: &p.Target, cols: e}, member{"target", "embedding", c.TargetVocab})
	gru("encoder.forward", &p.Forward, &t.forward)
	if c.Kind == RNNsearch {
		gru("encoder.backward", &p.Backward, &t.backward)
		switch c.AlignmentModel {
		case Additive:
			add(parameter{matrix: &p.Attention.Wa, transposed: &t.attention.Wa, cols: h}, member{"attention", "Wa", c.Alignment})
			add(parameter{matrix: &p.Attention.Ua, transposed: &t.attention.Ua, cols: ctx}, member{"attention", "Ua", c.Alignment})
			add(parameter{vector: &p.Attention.Va}, member{"attention", "va", c.Alignment})
		case General:
			add(parameter{matrix: &p.Attention.Ua, transposed: &t.attention.Ua, cols: ctx}, member{"attention", "Wa", c.Alignment})
		}
	}
	add(parameter{matrix: &p.Ws, transposed: &t.ws, cols: h}, member{"decoder", "Ws", h})
	add(parameter{vector: &p.Bs}, member{"decoder", "bs", h})
	gru("decoder", &p.Decoder, &t.decoder)
	add(parameter{matrix: &p.Context, transposed: &t.context, cols: ctx},
		member{"decoder", "Cz", h}, member{"decoder", "Cr", h}, member{"decoder", "C", h}, member{"readout", "Co", readout})
	add(parameter{matrix: &p.Uo, transposed: &t.uo, cols: h}, member{"readout", "Uo", readout})
	add(parameter{matrix: &p.Vo, transposed: &t.vo, cols: e}, member{"readout", "Vo", readout})
	add(parameter{vector: &p.Bo}, member{"readout", "bo", readout})
	add(parameter{matrix: &p.Wo, transposed: &t.wo, cols: c.Maxout}, member{"output", "Wo", c.TargetVocab})
	add(parameter{vector: &p.B}, member{"output", "b", c.TargetVocab})
}

// What each takes in place of nil, without an allocation. Nobody writes to them.
var (
	noParameters Parameters
	noTransposed transposed
)

// place returns what orders a tensor in model files: the places of
// layer and letter. What is not listed comes last.
func (m member) place() (layer, letter uint) {
	const (
		layers  = " source target encoder.forward encoder.backward decoder attention readout output "
		letters = " embedding Ws bs W Wz Wr U Uz Ur Wo b bz br C Cz Cr Wa Ua va Uo Vo Co bo "
	)
	return uint(strings.Index(layers, " "+m.layer+" ")), uint(strings.Index(letters, " "+m.letter+" "))
}

// tensors lists the tensors of all parameters, in the order of model files. Those of an allocator that
// counts have no values.
func (p *Parameters) tensors(c Config) (list []tensor) {
	p.each(c, nil, func(q parameter) {
		row := 0
		for _, m := range q.members {
			t := tensor{member: m, name: m.layer + "." + m.letter, shape: []int{m.rows, q.cols}, row: row}
			row += m.rows
			switch {
			case m.rows == 0:
				continue
			case q.matrix != nil:
				t.weights = *q.matrix
			case q.table != nil:
				t.table = *q.table
			case *q.vector != nil:
				t.vector = (*q.vector)[t.row:row]
			}
			if q.vector != nil {
				t.shape = t.shape[:1]
			}
			list = append(list, t)
		}
	})
	slices.SortStableFunc(list, func(a, b tensor) int {
		layer, letter := a.place()
		otherLayer, otherLetter := b.place()
		return cmp.Or(cmp.Compare(layer, otherLayer), cmp.Compare(letter, otherLetter))
	})
	return list
}

// A matrix is a parameter that is one, and its transpose.
type matrix struct {
	weights, transposed *kernels.Weights
	rows, cols          int // of weights
}

func (p *Parameters) matrices(c Config, t *transposed) []matrix {
	list := make([]matrix, 0, 16)
	p.each(c, t, func(q parameter) {
		if q.matrix != nil {
			list = append(list, matrix{q.matrix, q.transposed, q.rows, q.cols})
		}
	})
	return list
}

// bind makes every parameter a view of the arena.
func (p *Parameters) bind(c Config, a *arena) {
	p.each(c, nil, func(q parameter) {
		w, t, v := a.next(q)
		switch {
		case q.matrix != nil:
			*q.matrix = w
		case q.table != nil:
			*q.table, p.embeddings = t, a.used
		default:
			*q.vector = v
		}
	})
}

// check returns an error that wraps ErrConfig unless p are parameters of newParameters for c.
func (p *Parameters) check(c Config) error {
	if p == nil {
		return fmt.Errorf("%w: model without parameters", ErrConfig)
	}
	a, same := &arena{precision: c.Weights, values: p.Values}, true
	p.each(c, nil, func(q parameter) {
		switch w, t, v := a.next(q); {
		case q.matrix != nil:
			p := q.matrix
			same = same && p.Valid() && p.IsInt8() == w.IsInt8() && p.Out() == w.Out() && p.In() == w.In() && sameMemory(p.Float32.Data, w.Float32.Data)
		case q.table != nil:
			p, m := q.table, q.table.Float32
			same = same && p.Valid() && p.IsInt8() == t.IsInt8() && p.Rows() == t.Rows() && p.Cols() == t.Cols() && m.Stride == t.Float32.Stride && sameMemory(m.Data, t.Float32.Data)
		default:
			same = same && sameMemory(*q.vector, v)
		}
	})
	if len(p.Values) != a.used {
		return fmt.Errorf("%w: parameters of %d values, expected %d", ErrConfig, len(p.Values), a.used)
	}
	if !same {
		return fmt.Errorf("%w: parameters of another architecture", ErrConfig)
	}
	return nil
}

// sameMemory reports whether x and y are the same slice.
func sameMemory(x, y []float32) bool {
	return len(x) == len(y) && unsafe.SliceData(x) == unsafe.SliceData(y)
}

// newRounded returns p with zeros of bfloat16 for matrices, and the same vectors and embeddings.
func newRounded(a *allocator, c Config, p *Parameters) *Parameters {
	r := *p
	for _, q := range r.matrices(c, nil) {
		*q.weights = kernels.Weights{BF16: a.packedBF16(q.rows, q.cols)}
	}
	return &r
}

// dense returns the values of everything except the embeddings.
func (p *Parameters) dense() []float32 { return p.Values[p.embeddings:] }

// NumParameters returns the number of weights of a model, or 0 if c does not pass its Check.
func (c Config) NumParameters() int64 {
	if c.Check() != nil {
		return 0
	}
	return c.sizes().weights
}

// ParameterBytes returns what the weights of a model take in memory, with padding, or 0 if c does not pass
// its Check.
func (c Config) ParameterBytes() int64 {
	if c.Check() != nil {
		return 0
	}
	_, bytes := c.count()
	return int64(bytes)
}

// count returns the number of weights of a model, and what they take in bytes, with padding, or
// math.MaxInt if that overflows.
func (c Config) count() (weights int64, bytes int) {
	a := c.sizes()
	return a.weights, total(product(a.used, 4), total(a.usedInt8, a.bytes))
}

// sizes returns an arena that has counted the parameters of a model.
func (c Config) sizes() arena {
	a := arena{precision: c.Weights}
	(*Parameters)(nil).each(c, nil, func(q parameter) { a.next(q) })
	return a
}
