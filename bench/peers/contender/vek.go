package contender

import (
	"github.com/viterin/vek/vek32"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// vek is the vek library. Its matrix product takes both factors as they are and writes over
// the result, so the weights are transposed beforehand and it has no gradient product.
func vek() Contender {
	name := "vek-avx2"
	if !vek32.Info().Acceleration {
		name = "vek-go"
	}
	return table{
		"Gemv": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := m.W(c), m.X(c), m.Floats(c.Rows)
			return once(y, func() { vek32.MatMul_Into(y, w, x, c.Cols) })
		},
		"Gemm": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := m.Transposed(c), m.X(c), m.Floats(c.Batch*c.Rows)
			return once(y, func() { vek32.MatMul_Into(y, x, w, c.Cols) })
		},
		"GemmInput": func(c suite.Case, m *suite.Memory) Operation {
			w, dy, dx := m.W(c), m.DY(c), m.Floats(c.Batch*c.Cols)
			return once(dx, func() { vek32.MatMul_Into(dx, dy, w, c.Rows) })
		},
		"Exp": elementwise(func(dst, src []float32) { vek32.Exp_Into(dst, src) }),
	}.contender(name)
}
