package rnn

import (
	"math"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// int8Of returns g with weights of int8, and g with the values of those in float32.
func int8Of(k kernels.Impl, g *GRU) (quantized, same *GRU) {
	of := func(w kernels.Weights) (kernels.Weights, kernels.Weights) {
		m := kernels.NewMatrix(w.Out(), w.In())
		w.Float32.Unpack(m, 0)
		q := k.PackedInt8(m)
		values := make([]int8, w.In())
		for n := range m.Rows {
			scale := q.Row(values, n)
			for j, v := range values {
				m.Row(n)[j] = scale * float32(v)
			}
		}
		return kernels.Weights{Int8: q}, kernels.Weights{Float32: k.Packed(m)}
	}
	quantized, same = &GRU{B: g.B}, &GRU{B: g.B}
	quantized.W, same.W = of(g.W)
	quantized.Uzr, same.Uzr = of(g.Uzr)
	quantized.U, same.U = of(g.U)
	return quantized, same
}

// TestInt8 runs a bidirectional GRU with weights of int8 over a batch and over each of its sequences,
// and compares with float32 products of the same weights. Those differ by the rounding of the inputs,
// which is up to half of a 127th of the largest, in each of 12 weights below 1 and each gate.
func TestInt8(t *testing.T) {
	const h, e = 7, 5
	eachImpl(t, func(t *testing.T, k kernels.Impl) {
		b, r := newBatch(40, e, 6, 4, 1), newRand(41)
		forward, sameForward := int8Of(k, newReference(r, h, e).pack(k))
		backward, sameBackward := int8Of(k, newReference(r, h, e).pack(k))
		run := func(k kernels.Impl, b *batch, forward, backward *GRU) kernels.Matrix {
			rows := b.layout.Rows()
			states := zeros(rows, 2*h)
			x := b.lay(b.inputs)
			NewSequence(h, b.layout.Active(0), rows, false).Forward(k, forward, &b.layout, states.Columns(0, h), x)
			NewSequence(h, b.layout.Active(0), rows, true).Forward(k, backward, &b.layout, states.Columns(h, 2*h), x)
			return states
		}
		got := run(k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(b.layout.Rows(), h)}), b, forward, backward)
		want := run(k, b, sameForward, sameBackward)
		exact := true
		for i, v := range want.Data {
			if !(math.Abs(float64(got.Data[i]-v)) <= 0.05) {
				t.Errorf("%s: state %d: got %v, want about %v", k, i, got.Data[i], v)
			}
			exact = exact && got.Data[i] == v
		}
		if exact {
			t.Errorf("%s: states are those of float32 products", k)
		}
		for i := range b.inputs {
			alone := run(k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(6, h)}), b.alone(i), forward, backward)
			sameBits(t, "states of a sequence alone", b.alone(i).gather(alone, 0), b.gather(got, i))
		}
	})
}
