package rnn

import "github.com/softsearch-go/softsearch/kernels"

// A Transposed holds the transposes of a GRU's weights, for the gradients of its inputs.
type Transposed struct {
	W   kernels.Packed // E×3H
	Uzr kernels.Packed // H×2H
	U   kernels.Packed // H×H
}

// Set transposes the weights of g.
func (t *Transposed) Set(k kernels.Impl, g *GRU) {
	k.Transpose(t.W, g.W)
	k.Transpose(t.Uzr, g.Uzr)
	k.Transpose(t.U, g.U)
}

// StepBackward is the backward pass of Step for the gradient dnext of the new states. On
// entry gates holds z, r and h̃, on return the gradients of their pre-activations:
//
//	dz = dh'∘(h̃-h) ∘ z∘(1-z)     dh̃ = dh'∘z ∘ (1-h̃²)
//	d(r∘h) = Uᵀ dh̃               dr = d(r∘h)∘h ∘ r∘(1-r)
//	dh = dh'∘(1-z) + d(r∘h)∘r + Uzᵀ dz + Urᵀ dr
//
// The first prev.Rows rows of dprev receive dh; drh is scratch. dprev and drh have as many
// rows as gates.
func (t *Transposed) StepBackward(k kernels.Impl, gates, dprev, drh, prev, dnext kernels.Matrix, zero []float32) {
	h, p := t.U.Out, prev.Rows
	k.GRUStateBackwardRows(dprev, gates, prev, dnext, zero)
	if p == 0 {
		return
	}
	continued := gates.Slice(0, p)
	k.Gemm(drh.Slice(0, p), t.U, continued.Columns(2*h, 3*h), nil, kernels.Identity)
	k.GRUGatesBackwardRows(dprev, gates, drh, prev)
	k.GemmAdd(dprev.Slice(0, p), t.Uzr, continued.Columns(0, 2*h), kernels.Identity)
}

// Accumulate adds the gradients of all weights to g, given for every step at once: the
// gradients of the pre-activations dgates, the inputs x, the previous states prev (zeros
// where a sequence starts) and rh. Each weight is one product over all rows in their order.
// scratch needs kernels.GradScratch of E and of H.
func (g *GRU) Accumulate(k kernels.Impl, dgates, x, prev, rh kernels.Matrix, scratch []float32) {
	h := g.Hidden()
	k.GemmGrad(g.W, dgates, x, scratch)
	k.SumRows(g.B, dgates)
	k.GemmGrad(g.Uzr, dgates.Columns(0, 2*h), prev, scratch)
	k.GemmGrad(g.U, dgates.Columns(2*h, 3*h), rh, scratch)
}
