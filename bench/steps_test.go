package bench

import (
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
)

// attend is Attention with the kernels.
func attend(k kernels.Impl, context, a, q []float32, keys, annotations kernels.Matrix, v []float32) {
	k.Scores(a, q, keys, v)
	k.Softmax(a, a)
	k.WeightedSum(context, a, annotations)
}

// newGRU returns a GRU of zero weights.
func newGRU(input, hidden int) *GRU {
	values := func(n int) []float32 { return make([]float32, n) }
	return &GRU{
		Wz: values(hidden * input), Wr: values(hidden * input), W: values(hidden * input),
		Uz: values(hidden * hidden), Ur: values(hidden * hidden), U: values(hidden * hidden),
		Bz: values(hidden), Br: values(hidden), B: values(hidden),
	}
}

// step computes the next states from the previous ones h and rows of input x.
func (g *GRU) step(next, h, x []float32, s Gates, rows int) {
	g.project(s, x, rows)
	g.advance(next, h, s, rows)
}

// uniformGRU returns a GRU of shape s with weights in [-0.1, 0.1).
func uniformGRU(r source, s gruShape) *GRU {
	const limit = 0.1
	g := newGRU(s.input, s.hidden)
	for _, w := range [][]float32{g.Wz, g.Wr, g.W, g.Uz, g.Ur, g.U, g.Bz, g.Br, g.B} {
		copy(w, r.uniform(len(w), limit))
	}
	return g
}

// A stackedGRU is a GRU for the kernels. Matrices that read the same values are stacked.
type stackedGRU struct {
	gruShape
	k         kernels.Impl
	w         kernels.Packed // [Wz;Wr;W]
	uzr, u    kernels.Packed // [Uz;Ur] and U
	bias      []float32      // [bz;br;b]
	gates     kernels.Matrix // batch×3·hidden: z, r, candidate
	zr        kernels.Matrix // columns z and r of gates
	candidate kernels.Matrix // columns candidate of gates
	rh        kernels.Matrix // batch×hidden
}

func stack(k kernels.Impl, g *GRU, s gruShape) *stackedGRU {
	gates := kernels.NewMatrix(s.batch, 3*s.hidden)
	return &stackedGRU{
		gruShape:  s,
		k:         k,
		w:         pack(k, s.input, g.Wz, g.Wr, g.W),
		uzr:       pack(k, s.hidden, g.Uz, g.Ur),
		u:         pack(k, s.hidden, g.U),
		bias:      slices.Concat(g.Bz, g.Br, g.B),
		gates:     gates,
		zr:        gates.Columns(0, 2*s.hidden),
		candidate: gates.Columns(2*s.hidden, 3*s.hidden),
		rh:        kernels.NewMatrix(s.batch, s.hidden),
	}
}

// step is GRU.step.
func (g *stackedGRU) step(next, h, x []float32) {
	hs, nexts := kernels.View(h, g.batch, g.hidden), kernels.View(next, g.batch, g.hidden)
	g.k.Gemm(g.gates, g.w, kernels.View(x, g.batch, g.input), g.bias, kernels.Identity)
	g.k.LinearAdd(g.zr, kernels.Weights{Float32: g.uzr}, hs, kernels.Identity)
	g.k.GRUGatesRows(g.gates, g.rh, hs)
	g.k.LinearAdd(g.candidate, kernels.Weights{Float32: g.u}, g.rh, kernels.Identity)
	g.k.GRUStateRows(nexts, g.gates, hs)
}
