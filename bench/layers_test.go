package bench

import (
	"fmt"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/rnn"
)

// BenchmarkLayer runs recurrent layers of PyTorch over sequences of 50 steps, of as many inputs as units. The
// rate counts the multiplications of inputs and states.
func BenchmarkLayer(b *testing.B) {
	const steps = 50
	for _, cell := range []string{"gru", "lstm"} {
		for _, weights := range []string{"float32", "int8"} {
			for _, units := range []int{256, 1024} {
				for _, batch := range []int{1, 16} {
					name := fmt.Sprintf("cell=%s/weights=%s/units=%d/batch=%d", cell, weights, units, batch)
					gates := map[string]int{"gru": 3, "lstm": 4}[cell]
					compare(b, quick(contenders()), name, arithmetic(2*steps*batch*gates*units*units), func(c contender, r source) func() {
						rows, layout := steps*batch, rnn.NewLayout(steps)
						layout.Set(slices.Repeat([]int{steps}, batch))
						k := c.k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(rows, units)})
						s := rnn.NewStack([]rnn.Layer{{Forward: newCell(r, cell, weights, units)}}, batch, rows)
						x, h := kernels.View(r.uniform(rows*units, 1), rows, units), kernels.NewMatrix(rows, units)
						return func() { s.Forward(k, &layout, h, x) }
					})
				}
			}
		}
	}
}

// newCell returns a cell of as many inputs as units.
func newCell(r source, cell, weights string, units int) rnn.Cell {
	matrix := func(gates int) kernels.Weights {
		m := kernels.View(r.uniform(gates*units*units, 0.1), gates*units, units)
		if weights == "int8" {
			return kernels.Weights{Int8: kernels.Best().PackedInt8(m)}
		}
		return kernels.Weights{Float32: kernels.Best().Packed(m)}
	}
	if cell == "lstm" {
		return &rnn.LSTM{W: matrix(4), B: r.uniform(4*units, 0.1), U: matrix(4)}
	}
	return &rnn.GRUResetAfter{W: matrix(3), B: r.uniform(3*units, 0.1), U: matrix(3), C: r.uniform(units, 0.1)}
}
