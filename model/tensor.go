package model

import (
	"fmt"

	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/rnn"
)

// A tensor is one of the paper's parameters within Parameters, where some of them are stacked:
// a range of rows of a packed matrix, or consecutive values.
type tensor struct {
	name   string // in model files
	shape  []int
	packed kernels.Packed
	row    int       // of packed: the first one
	flat   []float32 // nil for a packed tensor
}

// read returns the values row-major.
func (t tensor) read() []float32 {
	if t.flat != nil {
		return t.flat
	}
	data := make([]float32, t.shape[0]*t.shape[1])
	t.packed.Unpack(kernels.View(data, t.shape[0], t.shape[1]), t.row)
	return data
}

// write replaces the values with row-major data.
func (t tensor) write(data []float32) error {
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	if len(data) != n {
		return fmt.Errorf("tensor %s has %d values, expected %d", t.name, len(data), n)
	}
	if t.flat != nil {
		copy(t.flat, data)
		return nil
	}
	kernels.Best().Pack(t.packed, t.row, kernels.View(data, t.shape[0], t.shape[1]))
	return nil
}

// tensors lists all parameters, in the order of model files.
func (p *Parameters) tensors(c Config) []tensor {
	l := tensorList{}
	l.matrix("source.embedding", p.Source)
	l.matrix("target.embedding", p.Target)
	l.gru("encoder.forward", &p.Forward)
	if c.Kind == RNNsearch {
		l.gru("encoder.backward", &p.Backward)
	}
	l.packed("decoder.Ws", p.Ws, 0, c.Hidden)
	l.vector("decoder.bs", p.Bs)
	l.gru("decoder", &p.Decoder)
	l.stacked("decoder.C", p.Context, c.Hidden)
	if c.Kind == RNNsearch {
		l.attention(c.AlignmentModel, &p.Attention)
	}
	l.packed("readout.Uo", p.Uo, 0, 2*c.Maxout)
	l.packed("readout.Vo", p.Vo, 0, 2*c.Maxout)
	l.packed("readout.Co", p.Context, 3*c.Hidden, 2*c.Maxout)
	l.vector("readout.bo", p.Bo)
	l.packed("output.Wo", p.Wo, 0, c.TargetVocab)
	l.vector("output.b", p.B)
	return l
}

type tensorList []tensor

func (l *tensorList) gru(name string, g *rnn.GRU) {
	h := g.Hidden()
	l.stacked(name+".W", g.W, h)
	l.packed(name+".U", g.U, 0, h)
	l.packed(name+".Uz", g.Uzr, 0, h)
	l.packed(name+".Ur", g.Uzr, h, h)
	l.vector(name+".b", g.B[2*h:])
	l.vector(name+".bz", g.B[:h])
	l.vector(name+".br", g.B[h:2*h])
}

func (l *tensorList) attention(a AlignmentModel, m *attention.Model) {
	switch a {
	case Additive:
		l.packed("attention.Wa", m.Wa, 0, m.Wa.Out)
		l.packed("attention.Ua", m.Ua, 0, m.Ua.Out)
		l.vector("attention.va", m.Va)
	case General:
		l.packed("attention.Wa", m.Ua, 0, m.Ua.Out)
	}
}

// stacked adds the matrices of z, r and the candidate, h rows of w each.
func (l *tensorList) stacked(name string, w kernels.Packed, h int) {
	l.packed(name, w, 2*h, h)
	l.packed(name+"z", w, 0, h)
	l.packed(name+"r", w, h, h)
}

func (l *tensorList) packed(name string, w kernels.Packed, row, rows int) {
	*l = append(*l, tensor{name: name, shape: []int{rows, w.In}, packed: w, row: row})
}

func (l *tensorList) matrix(name string, m kernels.Matrix) {
	*l = append(*l, tensor{name: name, shape: []int{m.Rows, m.Cols}, flat: m.Data})
}

func (l *tensorList) vector(name string, v []float32) {
	*l = append(*l, tensor{name: name, shape: []int{len(v)}, flat: v})
}

// stateTensor returns all values of p, in the order of memory, as a tensor of a checkpoint.
func stateTensor(name string, p *Parameters) safetensors.Tensor {
	return safetensors.Tensor{Name: name, Shape: []int{len(p.Values)}, Data: p.Values}
}
