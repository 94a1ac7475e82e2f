package contender

import (
	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// softsearch is one implementation of the kernels. Weights are packed beforehand.
func softsearch(k kernels.Impl) Contender {
	return Contender{Name: "softsearch-" + k.String(), Small: k.String() == "go", Operations: Operations{
		"Gemv": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := packed(c, m), m.X(c), m.Floats(c.Rows)
			return once(y, func() { k.Gemv(y, w, x, nil, kernels.Identity) })
		},
		"Gemm": func(c suite.Case, m *suite.Memory) Operation {
			w, x, y := packed(c, m), kernels.View(m.X(c), c.Batch, c.Cols), m.Floats(c.Batch*c.Rows)
			ys := kernels.View(y, c.Batch, c.Rows)
			return once(y, func() { k.Gemm(ys, w, x, nil, kernels.Identity) })
		},
		"GemmInput": func(c suite.Case, m *suite.Memory) Operation {
			w, dy, dx := transposed(c, m), kernels.View(m.DY(c), c.Batch, c.Rows), m.Floats(c.Batch*c.Cols)
			dxs := kernels.View(dx, c.Batch, c.Cols)
			return once(dx, func() { k.Gemm(dxs, w, dy, nil, kernels.Identity) })
		},
		"GemmGrad": func(c suite.Case, m *suite.Memory) Operation {
			dw := pack(m, m.W(c), c.Rows, c.Cols)
			dy, x := kernels.View(m.DY(c), c.Batch, c.Rows), kernels.View(m.X(c), c.Batch, c.Cols)
			k := k.Using(&kernels.Scratch{Grad: m.Floats(kernels.GradScratch(c.Cols))})
			op := once(nil, func() { k.LinearGrad(dw, dy, x) })
			op.Result = func() []float32 {
				rows := make([]float32, c.Rows*c.Cols)
				dw.Unpack(kernels.View(rows, c.Rows, c.Cols), 0)
				return rows
			}
			return op
		},
		"Tanh":        elementwise(k.Tanh),
		"Sigmoid":     elementwise(k.Sigmoid),
		"Exp":         elementwise(k.Exp),
		"Softmax":     elementwise(k.Softmax),
		"GRULayer":    layer(k, false),
		"LSTMLayer":   layer(k, false),
		"DecoderStep": func(c suite.Case, m *suite.Memory) Operation { return decoderStep(k, c, sharedModel(c, m)) },
	}}
}

// softsearchInt8 is one implementation of the kernels with weights of int8.
func softsearchInt8(k kernels.Impl) Contender {
	list := Operations{
		"DecoderStep": func(c suite.Case, m *suite.Memory) Operation {
			return decoderStep(k, c, suite.Shared(m, "model of int8", func() *model.Model { return must(sharedModel(c, m).Quantize()) }))
		},
	}
	if k.String() != "go" {
		list["GRULayer"], list["LSTMLayer"] = layer(k, true), layer(k, true)
	}
	return Contender{Name: "softsearch-" + k.String() + "-int8", Operations: list}
}

// sharedModel returns the model of c, which all implementations share.
func sharedModel(c suite.Case, m *suite.Memory) *model.Model {
	return suite.Shared(m, "model", func() *model.Model { return newModel(c) })
}

// packed returns the weights of c, which all implementations share.
func packed(c suite.Case, m *suite.Memory) kernels.Packed {
	return suite.Shared(m, "packed", func() kernels.Packed { return pack(m, m.W(c), c.Rows, c.Cols) })
}

// transposed returns the transpose of the weights of c.
func transposed(c suite.Case, m *suite.Memory) kernels.Packed {
	return suite.Shared(m, "packed transpose", func() kernels.Packed {
		w := packedIn(m, c.Cols, c.Rows)
		kernels.Best().LinearTranspose(kernels.Weights{Float32: w}, packed(c, m))
		return w
	})
}

// packedIn returns room for packed weights.
func packedIn(m *suite.Memory, out, in int) kernels.Packed {
	n, _ := kernels.PackedLen(out, in)
	return kernels.PackedOf(m.Floats(n), out, in)
}

func pack(m *suite.Memory, src []float32, rows, cols int) kernels.Packed {
	w := packedIn(m, rows, cols)
	kernels.Best().Pack(w, 0, kernels.View(src, rows, cols))
	return w
}
