// Package torch makes layers of this module from the tensors of a PyTorch model: its state_dict, under the names
// that torch.nn gives them. It is for programs that run networks which were trained elsewhere.
//
//	file, err := safetensors.Open("tagger.safetensors") // save_file(model.state_dict(), "tagger.safetensors")
//	if err != nil {
//		return err
//	}
//	defer file.Close()
//	dict := torch.StateDict{Impl: kernels.Best(), Tensor: file.Float32}
//	embedding := dict.Embedding("embedding.")
//	encoder := dict.LSTM("encoder.")
//	out, bias := dict.Linear("out.")
//	if dict.Err != nil {
//		return dict.Err
//	}
//
// A prefix is the name of a module with a dot, or "" for the model itself. Sizes, the number of layers, directions
// and biases follow from the tensors; everything that disagrees is an error that names the tensor.
// The tests beside it run networks of others: Silero VAD, g2p_en, and the network with attention of tutorials.
package torch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/rnn"
)

// A StateDict makes layers from named tensors. After the first error its methods return zero values: check Err
// before anything is used.
type StateDict struct {
	Impl kernels.Impl // packs the weights

	// Tensor returns the shape and the row-major values of a tensor, as safetensors.Reader.Float32. Its errors name
	// the tensor, and wrap safetensors.ErrMissing if there is none of that name.
	Tensor func(name string) (shape []int, values []float32, err error)

	Int8 bool  // weights of recurrent and linear layers become int8, a scale for each output
	Err  error // the first error
}

// GRU returns the layers of an nn.GRU, whose cells are [rnn.GRUResetAfter].
func (d *StateDict) GRU(prefix string) []rnn.Layer {
	return d.layers(prefix, func(suffix string) rnn.Cell { return d.gru(prefix, suffix) })
}

// LSTM returns the layers of an nn.LSTM without projections, whose cells are [rnn.LSTM].
func (d *StateDict) LSTM(prefix string) []rnn.Layer {
	return d.layers(prefix, func(suffix string) rnn.Cell { return d.lstm(prefix, suffix) })
}

// GRUCell returns an nn.GRUCell.
func (d *StateDict) GRUCell(prefix string) *rnn.GRUResetAfter { return d.gru(prefix, "") }

// LSTMCell returns an nn.LSTMCell.
func (d *StateDict) LSTMCell(prefix string) *rnn.LSTM { return d.lstm(prefix, "") }

// layers returns as many layers as there are tensors weight_ih_l0, weight_ih_l1 and so on, each in two directions if
// it has weight_ih_l…_reverse.
func (d *StateDict) layers(prefix string, cell func(suffix string) rnn.Cell) (list []rnn.Layer) {
	for {
		suffix := fmt.Sprintf("_l%d", len(list))
		if len(list) > 0 && !d.has(prefix+"weight_ih"+suffix) {
			break
		}
		layer := rnn.Layer{Forward: cell(suffix)}
		if d.has(prefix + "weight_ih" + suffix + "_reverse") {
			layer.Backward = cell(suffix + "_reverse")
		}
		if d.Err != nil {
			return nil
		}
		list = append(list, layer)
		if err := agree(list); err != nil {
			d.fail(prefix+"weight_ih"+suffix, "%w", err)
			return nil
		}
	}
	return list
}

// agree returns an error unless the cells of the last layer fit each other and the layer below.
func agree(list []rnn.Layer) error {
	last := list[len(list)-1]
	inputs, hidden := last.Forward.Inputs(), last.Forward.Hidden()
	if b := last.Backward; b != nil && (b.Inputs() != inputs || b.Hidden() != hidden) {
		return fmt.Errorf("%d inputs and %d units forward, but %d and %d backward", inputs, hidden, b.Inputs(), b.Hidden())
	}
	if len(list) == 1 {
		return nil
	}
	below := list[len(list)-2]
	want := below.Forward.Hidden()
	if below.Backward != nil {
		want *= 2
	}
	if inputs != want {
		return fmt.Errorf("has %d columns, want %d, the states of the layer below", inputs, want)
	}
	return nil
}

// lstm returns the cell whose names end in suffix.
func (d *StateDict) lstm(prefix, suffix string) *rnn.LSTM {
	r := d.recurrent(prefix, suffix, 4)
	l := &rnn.LSTM{W: d.pack(r.ih, r.inputs), B: sum(r.biasIH, r.biasHH), U: d.pack(r.hh, r.states)}
	if d.Err != nil {
		return nil
	}
	return l
}

// gru moves the candidate, which torch has last, to where rnn.GRUResetAfter has it.
func (d *StateDict) gru(prefix, suffix string) *rnn.GRUResetAfter {
	r := d.recurrent(prefix, suffix, 3)
	if d.Err != nil {
		return nil
	}
	h, in := r.states.Cols, r.inputs.Cols
	candidateFirst := slices.Concat(r.inputs.Data[2*h*in:], r.inputs.Data[:2*h*in])
	g := &rnn.GRUResetAfter{W: d.pack(r.ih, kernels.View(candidateFirst, 3*h, in)), U: d.pack(r.hh, r.states)}
	if r.biasIH != nil {
		g.B, g.C = slices.Concat(r.biasIH[2*h:], sum(r.biasIH[:2*h], r.biasHH[:2*h])), r.biasHH[2*h:]
	}
	if d.Err != nil {
		return nil
	}
	return g
}

// A recurrent is what a GRU and an LSTM have in common: gates stacked in the rows of two matrices with these names.
type recurrent struct {
	ih, hh         string
	inputs, states kernels.Matrix
	biasIH, biasHH []float32 // nil without biases
}

func (d *StateDict) recurrent(prefix, suffix string, gates int) recurrent {
	r := recurrent{ih: prefix + "weight_ih" + suffix, hh: prefix + "weight_hh" + suffix}
	r.states = d.Matrix(r.hh)
	if h := r.states.Cols; d.Err == nil && (r.states.Rows%gates != 0 || r.states.Rows/gates != h) {
		d.fail(r.hh, "has shape [%d %d], want [%d·H H]", r.states.Rows, h, gates)
	}
	r.inputs = d.Matrix(r.ih)
	if n := r.states.Rows; d.Err == nil && r.inputs.Rows != n {
		d.fail(r.ih, "has %d rows, want the %d of weight_hh", r.inputs.Rows, n)
	}
	if d.has(prefix + "bias_ih" + suffix) {
		r.biasIH = d.vector(prefix+"bias_ih"+suffix, r.inputs.Rows)
		r.biasHH = d.vector(prefix+"bias_hh"+suffix, r.inputs.Rows)
	}
	return r
}

// sum returns x + y, or nil without x.
func sum(x, y []float32) (z []float32) {
	for i := range y {
		z = append(z, x[i]+y[i])
	}
	return z
}

// Linear returns the weights, Out×In, and the bias of an nn.Linear; the bias is nil if it has none.
func (d *StateDict) Linear(prefix string) (w kernels.Weights, bias []float32) {
	return d.weights(prefix, d.Matrix(prefix+"weight"))
}

// Conv1d returns the weights and the bias of an nn.Conv1d as a linear layer, whose inputs are width·In
// values: all channels at the first of width positions, then at the next. A matrix of overlapping rows
// is all inputs of a convolution over frames of In channels, without copying them:
//
//	kernels.Matrix{Rows: (frames-width)/stride + 1, Cols: width * in, Stride: stride * in, Data: frames}
//
// The bias is nil if there is none.
func (d *StateDict) Conv1d(prefix string) (w kernels.Weights, bias []float32) {
	shape, values := d.tensor(prefix + "weight")
	if d.Err == nil && len(shape) != 3 {
		d.fail(prefix+"weight", "has shape %v, want [out in width]", shape)
	}
	if d.Err != nil {
		return w, nil
	}
	out, in, width := shape[0], shape[1], shape[2]
	rows := kernels.NewMatrix(out, width*in)
	for n := range out {
		row := rows.Data[n*width*in:]
		for c := range in {
			for t := range width {
				row[t*in+c] = values[(n*in+c)*width+t]
			}
		}
	}
	return d.weights(prefix, rows)
}

// weights returns m, the weight of that module, packed, and its bias if it has one.
func (d *StateDict) weights(prefix string, m kernels.Matrix) (w kernels.Weights, bias []float32) {
	if d.has(prefix + "bias") {
		bias = d.vector(prefix+"bias", m.Rows)
	}
	return d.pack(prefix+"weight", m), bias
}

// Embedding returns the table of an nn.Embedding, words×columns.
func (d *StateDict) Embedding(prefix string) kernels.Table {
	return kernels.Table{Float32: d.Matrix(prefix + "weight")}
}

// LayerNorm returns the weight and the bias of an nn.LayerNorm over the last dimension, for
// [kernels.Impl.LayerNormRows].
func (d *StateDict) LayerNorm(prefix string) (weight, bias []float32) {
	weight = d.Vector(prefix + "weight")
	if d.has(prefix + "bias") {
		bias = d.vector(prefix+"bias", len(weight))
	}
	return weight, bias
}

// Matrix returns a tensor of two dimensions.
func (d *StateDict) Matrix(name string) kernels.Matrix {
	shape, values := d.tensor(name)
	if d.Err == nil && len(shape) != 2 {
		d.fail(name, "has shape %v, want two dimensions", shape)
	}
	if d.Err != nil {
		return kernels.Matrix{}
	}
	return kernels.View(values, shape[0], shape[1])
}

// Vector returns a tensor with one dimension that is not 1, such as the weight of an nn.Linear of one output.
func (d *StateDict) Vector(name string) []float32 {
	shape, values := d.tensor(name)
	long := 0
	for _, n := range shape {
		if n != 1 {
			long++
		}
	}
	if d.Err == nil && long > 1 {
		d.fail(name, "has shape %v, want one dimension", shape)
	}
	return values
}

// vector returns a tensor of n values.
func (d *StateDict) vector(name string, n int) []float32 {
	v := d.Vector(name)
	if d.Err == nil && len(v) != n {
		d.fail(name, "has %d values, want %d", len(v), n)
		return nil
	}
	return v
}

// tensor returns a tensor of any shape, which has values.
func (d *StateDict) tensor(name string) (shape []int, values []float32) {
	if d.Err != nil {
		return nil, nil
	}
	shape, values, err := d.lookup(name)
	if err != nil {
		d.Err = fmt.Errorf("torch: %w", err)
		return nil, nil
	}
	n := len(values)
	for _, size := range shape {
		if size <= 0 || n%size != 0 {
			n, size = 0, 1
		}
		n /= size
	}
	if n != 1 {
		d.fail(name, "has shape %v and %d values, want as many as the shape says, and one at least", shape, len(values))
	}
	return shape, values
}

// lookup calls Tensor.
func (d *StateDict) lookup(name string) (shape []int, values []float32, err error) {
	if d.Tensor == nil {
		panic("torch: StateDict without Tensor")
	}
	return d.Tensor(name)
}

// has reports whether there is a tensor of that name.
func (d *StateDict) has(name string) bool {
	if d.Err != nil {
		return false
	}
	_, _, err := d.lookup(name)
	if err != nil && !errors.Is(err, safetensors.ErrMissing) {
		d.Err = fmt.Errorf("torch: %w", err)
	}
	return err == nil
}

// pack returns the matrix of that name as weights.
func (d *StateDict) pack(name string, m kernels.Matrix) kernels.Weights {
	_, ok := kernels.PackedLen(m.Rows, m.Cols)
	switch {
	case d.Err != nil:
		return kernels.Weights{}
	case !ok || d.Int8 && m.Cols > kernels.MaxInt8Inputs:
		d.fail(name, "has %d rows of %d inputs, more than a product takes", m.Rows, m.Cols)
		return kernels.Weights{}
	case d.Int8:
		return kernels.Weights{Int8: d.Impl.PackInt8(m)}
	}
	return kernels.Weights{Float32: d.Impl.Pack(m)}
}

// fail keeps the first error.
func (d *StateDict) fail(name, format string, args ...any) {
	if d.Err == nil {
		d.Err = fmt.Errorf("torch: tensor %q: "+format, append([]any{name}, args...)...)
	}
}
