package contender

import (
	"github.com/nlpodyssey/spago/mat"
	"github.com/nlpodyssey/spago/nn"
	"github.com/nlpodyssey/spago/nn/recurrent/lstm"
	"github.com/tphakala/simd/cpu"
	"github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// gonum is the BLAS of Gonum for float32.
func gonum() Contender {
	return Contender{Name: "gonum", Operations: Operations{
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
	}}
}

func general(data []float32, rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// vek is the vek library. Its matrix product takes both factors as they are and writes over
// the result, so the weights are transposed beforehand and it has no gradient product.
func vek() Contender {
	name := "vek-avx2"
	if !vek32.Info().Acceleration {
		name = "vek-go"
	}
	return Contender{Name: name, Operations: Operations{
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
	}}
}

// spago is the library spaGO, whose GRU is another than PyTorch's. It takes one sequence at a time.
func spago() Contender {
	return Contender{Name: "spago", Small: true, Operations: Operations{"LSTMLayer": func(c suite.Case, m *suite.Memory) Operation {
		tensor, n := tensors(c, m), c.Units
		wx, wh, bx, bh := tensor("weight_ih_l0"), tensor("weight_hh_l0"), tensor("bias_ih_l0"), tensor("bias_hh_l0")
		bias := m.Floats(len(bx))
		for i := range bias {
			bias[i] = bx[i] + bh[i]
		}
		layer := lstm.New[float32](n, n)
		set := func(p *nn.Param, values []float32, gate int, shape ...int) {
			size := len(values) / 4
			p.ReplaceValue(mat.NewDense[float32](mat.WithShape(shape...), mat.WithBacking(values[gate*size:][:size])))
		}
		for gate, params := range [][3]*nn.Param{
			{layer.WIn, layer.WInRec, layer.BIn}, {layer.WFor, layer.WForRec, layer.BFor},
			{layer.WCand, layer.WCandRec, layer.BCand}, {layer.WOut, layer.WOutRec, layer.BOut},
		} {
			set(params[0], wx, gate, n, n)
			set(params[1], wh, gate, n, n)
			set(params[2], bias, gate, n)
		}
		x, h := m.Inputs(c), m.Floats(c.Source*c.Batch*n)
		steps := make([]mat.Tensor, c.Source)
		return once(h, func() {
			for b := range c.Batch {
				for t := range steps {
					steps[t] = mat.NewDense[float32](mat.WithShape(n), mat.WithBacking(x[(t*c.Batch+b)*n:][:n]))
				}
				for t, y := range layer.Forward(steps...) {
					copy(h[(t*c.Batch+b)*n:], y.Value().Data().F32())
				}
			}
		})
	}}}
}

// oneRowAtATime is the number of weights from which DotProduct for each row is faster than
// DotProductStrided, which reads four rows at a time: those beyond the third-level cache.
const oneRowAtATime = 8 << 20

// tphakala is github.com/tphakala/simd. Its functions run on AVX2 where there is AVX2, its
// dot products on AVX-512 where there is that and SIMD_DISABLE does not say otherwise, so the
// two parts have their own names. The dot products of all rows with one vector are a Gemv.
func tphakala() []Contender {
	dots, functions := "tphakala-go", "tphakala-go"
	if cpu.X86.AVX && cpu.X86.FMA {
		dots = "tphakala-avx2"
	}
	if cpu.X86.AVX512F && cpu.X86.AVX512VL {
		dots = "tphakala-avx512"
	}
	if cpu.X86.AVX2 {
		functions = "tphakala-avx2"
	}
	return []Contender{
		{Name: dots, Operations: Operations{
			"Gemv": func(c suite.Case, m *suite.Memory) Operation {
				w, x, y := m.W(c), m.X(c), m.Floats(c.Rows)
				if len(w) > oneRowAtATime {
					return once(y, func() {
						for i := range y {
							y[i] = f32.DotProduct(w[i*c.Cols:(i+1)*c.Cols], x)
						}
					})
				}
				return once(y, func() { f32.DotProductStrided(y, w, x, c.Rows, c.Cols, c.Cols) })
			},
		}},
		{Name: functions, Operations: Operations{
			"Tanh":    elementwise(f32.Tanh),
			"Sigmoid": elementwise(f32.Sigmoid),
			"Exp":     elementwise(f32.Exp),
		}},
	}
}
