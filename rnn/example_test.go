package rnn_test

import (
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/rnn"
)

// A stream arrives in chunks, and the state of the GRU carries over from one to the next. The
// inputs of a chunk take a single product.
func ExampleGRU_Step() {
	const inputs, hidden = 2, 3
	k := kernels.Best()
	g := rnn.GRU{
		W: packed(k, 3*hidden, inputs), B: make([]float32, 3*hidden),
		Uzr: packed(k, 2*hidden, hidden), U: packed(k, hidden, hidden),
	}
	state, next, rh := row(hidden), row(hidden), row(hidden)
	for _, chunk := range [][]float32{{1, 0, 0, 1}, {1, 1}, {0, 1, 1, 0, 0, 0}} {
		x := kernels.View(chunk, len(chunk)/inputs, inputs)
		gates := kernels.NewMatrix(x.Rows, 3*hidden)
		g.Project(k, gates, x)
		for t := range x.Rows {
			g.Step(k, gates.Slice(t, t+1), rh, next, state)
			state, next = next, state
		}
		fmt.Printf("%.4f\n", state.Row(0))
	}
	// Output:
	// [0.2158 0.1474 0.0651]
	// [0.2937 0.2409 0.0929]
	// [0.0860 0.0411 -0.0085]
}

// A decoder of two layers takes one step at a time: each continues from the states in which the last one left it.
func ExampleStack_Continue() {
	const inputs, hidden = 2, 3
	k := kernels.Best()
	lstm := func(inputs int) *rnn.LSTM {
		return &rnn.LSTM{W: packed(k, 4*hidden, inputs), U: packed(k, 4*hidden, hidden)}
	}
	s := rnn.NewStack([]rnn.Layer{{Forward: lstm(inputs)}, {Forward: lstm(hidden)}}, 1, 1)
	layout := rnn.NewLayout(1)
	layout.Set([]int{1})
	state := row(hidden)
	for _, x := range [][]float32{{1, 0}, {0, 1}, {1, 1}} {
		s.Continue(k, &layout, state, kernels.View(x, 1, inputs)) // the first from zeros
		fmt.Printf("%.4f\n", state.Row(0))
	}
	// Output:
	// [0.0032 0.0031 -0.0038]
	// [-0.0072 -0.0061 0.0154]
	// [-0.0137 -0.0115 0.0265]
}

func row(n int) kernels.Matrix { return kernels.NewMatrix(1, n) }

// packed returns weights between -0.5 and 0.5.
func packed(k kernels.Impl, out, in int) kernels.Weights {
	values := make([]float32, out*in)
	for i := range values {
		values[i] = float32(i*5%11)/10 - 0.5
	}
	return kernels.Weights{Float32: k.Pack(kernels.View(values, out, in))}
}
