package rnn

import "github.com/softsearch-go/softsearch/kernels"

// A GRU holds the weights of a gated recurrent unit of H units and E inputs, or the
// gradients of all of them.
type GRU struct {
	W   kernels.Packed // 3H×E: [Wz; Wr; W]
	B   []float32      // 3H: [bz; br; b]
	Uzr kernels.Packed // 2H×H: [Uz; Ur]
	U   kernels.Packed // H×H
}

// Hidden returns the number of units.
func (g *GRU) Hidden() int { return g.U.Out }

// Project computes what the inputs add to the gates and the candidate: gates = x·Wᵀ + b.
// x is rows×E, gates rows×3H.
func (g *GRU) Project(k kernels.Impl, gates, x kernels.Matrix) {
	k.Gemm(gates, g.W, x, g.B, kernels.Identity)
}

// Step takes rows one step on. On entry a row of gates holds what the inputs add to
// z, r and h̃; on return it holds z, r and h̃. The first prev.Rows rows continue from prev,
// the others from the state zero, a vector of H zeros. rh receives r∘h, next the new states.
// gates is rows×3H, rh and next are rows×H.
func (g *GRU) Step(k kernels.Impl, gates, rh, next, prev kernels.Matrix, zero []float32) {
	h, p := g.Hidden(), prev.Rows
	if p > 0 {
		k.GemmAdd(gates.Slice(0, p).Columns(0, 2*h), g.Uzr, prev, kernels.Identity)
	}
	k.GRUGatesRows(gates, rh, prev, zero)
	if p > 0 {
		k.GemmAdd(gates.Slice(0, p).Columns(2*h, 3*h), g.U, rh.Slice(0, p), kernels.Identity)
	}
	k.GRUStateRows(next, gates, prev, zero)
}
