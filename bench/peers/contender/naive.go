package contender

import (
	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// naive is plain Go: one sum per output, math.Tanh and math.Exp.
func naive() Contender {
	return Contender{Name: "naive", Small: true, Operations: Operations{
		"Gemv": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y, bias := m.W(c), m.X(c), m.Floats(c.Rows), m.Floats(c.Rows)
			return once(y, func() { bench.Gemv(y, w, x, bias) })
		},
		"Gemm": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y, bias := m.W(c), m.X(c), m.Floats(c.Batch*c.Rows), m.Floats(c.Rows)
			return once(y, func() { bench.Gemm(y, w, x, bias, c.Batch) })
		},
		"GemmInput": func(c suite.Case, m *suite.Memory) Operation {
			w, dy, dx := m.W(c), m.DY(c), m.Floats(c.Batch*c.Cols)
			return once(dx, func() {
				clear(dx)
				bench.GemmInput(dx, w, dy, c.Batch)
			})
		},
		"GemmGrad": func(c suite.Case, m *suite.Memory) Operation {
			dy, x, dw := m.DY(c), m.X(c), weightsCopy(c, m)
			return once(dw, func() { bench.GemmGrad(dw, dy, x, c.Batch) })
		},
		"Tanh":    elementwise(bench.Tanh),
		"Sigmoid": elementwise(bench.Sigmoid),
		"Exp":     elementwise(bench.Exp),
		"Softmax": elementwise(bench.Softmax),

		"GRULayer":       naiveLayer,
		"LSTMLayer":      naiveLayer,
		"DecoderStep":    naiveStep,
		"TrainingUpdate": naiveUpdate,
	}}
}

// weightsCopy returns the weights of c, to be changed.
func weightsCopy(c suite.Case, m *suite.Memory) []float32 {
	dw := m.Floats(c.Rows * c.Cols)
	copy(dw, m.W(c))
	return dw
}
