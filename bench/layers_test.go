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
		for _, units := range []int{256, 1024} {
			for _, batch := range []int{1, 16} {
				for _, weights := range []string{"float32", "int8"} {
					list := contenders()
					if weights == "float32" && batch*units <= 4096 {
						list = contenders("naive")
					}
					name := fmt.Sprintf("weights=%s/cell=%s/units=%d/batch=%d", weights, cell, units, batch)
					gates := map[string]int{"gru": 3, "lstm": 4}[cell]
					compare(b, quick(list), name, arithmetic(2*steps*batch*gates*units*units), func(c contender, r source) func() {
						if c.naive {
							return naiveLayer(r, cell, steps, batch, units)
						}
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

// naiveLayer is a layer in plain Go, one sequence after the other.
func naiveLayer(r source, cell string, steps, batch, n int) func() {
	gates := 3 * n
	if cell == "lstm" {
		gates = 4 * n
	}
	wx, wh, bx, bh := r.uniform(gates*n, 0.1), r.uniform(gates*n, 0.1), r.uniform(gates, 0.1), r.uniform(gates, 0.1)
	x, h, memory := r.uniform(steps*batch*n, 1), zeros(steps*batch*n), zeros(n)
	a, share := zeros(gates), zeros(gates)
	step := func(next, x, h []float32) {
		Gemv(a, wx, x, bx)
		Gemv(share, wh, h, bh)
		if cell == "gru" { // r, z, n
			candidate := a[2*n:]
			for i, v := range share[:2*n] {
				a[i] += v
			}
			Sigmoid(a[:2*n], a[:2*n])
			for i, v := range share[2*n:] {
				candidate[i] += a[i] * v
			}
			Tanh(candidate, candidate)
			for i, z := range a[n : 2*n] {
				next[i] = (1-z)*candidate[i] + z*h[i]
			}
			return
		}
		for i, v := range share { // i, f, g, o
			a[i] += v
		}
		candidate, output := a[2*n:3*n], a[3*n:]
		Sigmoid(a[:2*n], a[:2*n])
		Tanh(candidate, candidate)
		Sigmoid(output, output)
		for i, v := range candidate {
			memory[i] = a[n+i]*memory[i] + a[i]*v
		}
		Tanh(next, memory)
		for i, v := range output {
			next[i] *= v
		}
	}
	return func() {
		for b := range batch {
			previous := zeros(n)
			clear(memory)
			for t := range steps {
				row := (t*batch + b) * n
				step(h[row:row+n], x[row:row+n], previous)
				previous = h[row : row+n]
			}
		}
	}
}

// newCell returns a cell of as many inputs as units.
func newCell(r source, cell, weights string, units int) rnn.Cell {
	matrix := func(gates int) kernels.Weights {
		m := kernels.View(r.uniform(gates*units*units, 0.1), gates*units, units)
		if weights == "int8" {
			return kernels.Weights{Int8: kernels.Best().PackInt8(m)}
		}
		return kernels.Weights{Float32: kernels.Best().Pack(m)}
	}
	if cell == "lstm" {
		return &rnn.LSTM{W: matrix(4), B: r.uniform(4*units, 0.1), U: matrix(4)}
	}
	return &rnn.GRUResetAfter{W: matrix(3), B: r.uniform(3*units, 0.1), U: matrix(3), C: r.uniform(units, 0.1)}
}
