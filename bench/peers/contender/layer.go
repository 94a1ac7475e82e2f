package contender

import (
	"slices"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/torch"
	"github.com/softsearch-go/softsearch/rnn"
)

// layer is a layer of package rnn, with weights of float32 or int8 that all implementations share.
func layer(k kernels.Impl, int8 bool) func(c suite.Case, m *suite.Memory) Operation {
	return func(c suite.Case, m *suite.Memory) Operation {
		name := "layers"
		if int8 {
			name = "layers of int8"
		}
		layers := suite.Shared(m, name, func() []rnn.Layer {
			d := torch.StateDict{Impl: kernels.Best(), Int8: int8}
			d.Tensor = func(name string) ([]int, []float32, error) { return m.State(c, name) }
			read := map[string]func(prefix string) []rnn.Layer{"GRULayer": d.GRU, "LSTMLayer": d.LSTM}[c.Op]
			layers := read("")
			check(d.Err)
			return layers
		})
		rows, layout := c.Source*c.Batch, rnn.NewLayout(c.Source)
		layout.Set(slices.Repeat([]int{c.Source}, c.Batch))
		k := k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(rows, c.Units)})
		s, x, h := rnn.NewStack(layers, c.Batch, rows), kernels.View(m.Inputs(c), rows, c.Units), m.Floats(rows*c.Units)
		states := kernels.View(h, rows, c.Units)
		return once(h, func() { s.Forward(k, &layout, states, x) })
	}
}

// tensors returns the function that finds the values of a tensor of a layer.
func tensors(c suite.Case, m *suite.Memory) func(name string) []float32 {
	return func(name string) []float32 {
		_, values, err := m.State(c, name)
		check(err)
		return values
	}
}

// naiveLayer is a recurrent layer in plain Go, one sequence after the other.
func naiveLayer(c suite.Case, m *suite.Memory) Operation {
	tensor, n := tensors(c, m), c.Units
	wx, wh, bx, bh := tensor("weight_ih_l0"), tensor("weight_hh_l0"), tensor("bias_ih_l0"), tensor("bias_hh_l0")
	x, h, cell, start := m.Inputs(c), m.Floats(c.Source*c.Batch*n), m.Floats(n), m.Floats(n)
	gates, share := m.Floats(len(bx)), m.Floats(len(bx))
	step := func(next, x, h []float32) {
		bench.Gemv(gates, wx, x, bx)
		bench.Gemv(share, wh, h, bh)
		if c.Op == "GRULayer" { // r, z, n
			candidate := gates[2*n:]
			for i, v := range share[:2*n] {
				gates[i] += v
			}
			bench.Sigmoid(gates[:2*n], gates[:2*n])
			for i, v := range share[2*n:] {
				candidate[i] += gates[i] * v
			}
			bench.Tanh(candidate, candidate)
			for i, z := range gates[n : 2*n] {
				next[i] = (1-z)*candidate[i] + z*h[i]
			}
			return
		}
		for i, v := range share { // i, f, g, o
			gates[i] += v
		}
		candidate, output := gates[2*n:3*n], gates[3*n:]
		bench.Sigmoid(gates[:2*n], gates[:2*n])
		bench.Tanh(candidate, candidate)
		bench.Sigmoid(output, output)
		for i, v := range candidate {
			cell[i] = gates[n+i]*cell[i] + gates[i]*v
		}
		bench.Tanh(next, cell)
		for i, v := range output {
			next[i] *= v
		}
	}
	return once(h, func() {
		for b := range c.Batch {
			prev := start
			clear(cell)
			for t := range c.Source {
				row := (t*c.Batch + b) * n
				step(h[row:row+n], x[row:row+n], prev)
				prev = h[row : row+n]
			}
		}
	})
}
