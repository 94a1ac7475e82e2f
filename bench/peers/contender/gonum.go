package contender

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// gonum is the BLAS of Gonum for float32.
func gonum() Contender {
	return table{
		"Gemv": func(c suite.Case, m *suite.Memory) Operation {
			w, y := general(m.W(c), c.Rows, c.Cols), m.Floats(c.Rows)
			x := blas32.Vector{N: c.Cols, Inc: 1, Data: m.X(c)}
			ys := blas32.Vector{N: c.Rows, Inc: 1, Data: y}
			return once(y, func() { blas32.Gemv(blas.NoTrans, 1, w, x, 0, ys) })
		},
		"Gemm": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := general(m.W(c), c.Rows, c.Cols), general(m.X(c), c.Batch, c.Cols), m.Floats(c.Batch*c.Rows)
			ys := general(y, c.Batch, c.Rows)
			return once(y, func() { blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, w, 0, ys) })
		},
		"GemmInput": func(c suite.Case, m *suite.Memory) Operation {
			w, dy, dx := general(m.W(c), c.Rows, c.Cols), general(m.DY(c), c.Batch, c.Rows), m.Floats(c.Batch*c.Cols)
			dxs := general(dx, c.Batch, c.Cols)
			return once(dx, func() { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, dy, w, 0, dxs) })
		},
		"GemmGrad": func(c suite.Case, m *suite.Memory) Operation {
			dy, x, dw := general(m.DY(c), c.Batch, c.Rows), general(m.X(c), c.Batch, c.Cols), weightsCopy(c, m)
			dws := general(dw, c.Rows, c.Cols)
			return once(dw, func() { blas32.Gemm(blas.Trans, blas.NoTrans, 1, dy, x, 1, dws) })
		},
	}.contender("gonum")
}

func general(data []float32, rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
