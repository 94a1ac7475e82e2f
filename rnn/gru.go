package rnn

import "github.com/softsearch-go/softsearch/kernels"

// A GRU holds the weights of a gated recurrent unit with H units and E inputs, or their
// gradients, which are of float32.
type GRU struct {
	W   kernels.Weights // 3H×E: [Wz; Wr; W]
	B   []float32       // 3H: [bz; br; b]
	Uzr kernels.Weights // 2H×H: [Uz; Ur]
	U   kernels.Weights // H×H
}

// Hidden returns the number of units.
func (g *GRU) Hidden() int { return g.U.Out() }

// Inputs returns the number of inputs.
func (g *GRU) Inputs() int { return g.W.In() }

// Gates returns 3H.
func (g *GRU) Gates() int { return 3 * g.Hidden() }

// Project computes the share of the inputs in gates and candidate: gates = x·Wᵀ + b. x is rows×E,
// gates is rows×3H.
func (g *GRU) Project(k kernels.Impl, gates, x kernels.Matrix) {
	k.Linear(gates, g.W, x, g.B, kernels.Identity)
}

// Step computes one step of all rows:
//
//	z = σ(gates_z + Uz h)     r = σ(gates_r + Ur h)
//	h̃ = tanh(gates_h̃ + U (r∘h))
//	h' = (1-z)∘h + z∘h̃
//
// gates holds the result of Project, and what else adds to it, and is overwritten by z, r and h̃;
// rh receives r∘h and next h'. prev holds h of the first rows; the others start from zeros.
// gates is rows×3H, rh and next are rows×H, and prev has H columns and at most as many rows.
func (g *GRU) Step(k kernels.Impl, gates, rh, next, prev kernels.Matrix) {
	h, p := g.Hidden(), prev.Rows
	if p > 0 {
		k.LinearAdd(gates.Slice(0, p).Columns(0, 2*h), g.Uzr, prev, kernels.Identity)
	}
	k.GRUGatesRows(gates, rh, prev)
	if p > 0 {
		k.LinearAdd(gates.Slice(0, p).Columns(2*h, 3*h), g.U, rh.Slice(0, p), kernels.Identity)
	}
	k.GRUStateRows(next, gates, prev)
}

// A Transposed holds the transposes of a GRU's weights, which the gradients of its inputs and
// states are products with.
type Transposed struct {
	W   kernels.Weights // E×3H
	Uzr kernels.Weights // H×2H
	U   kernels.Weights // H×H
}

// StepBackward is the backward pass of Step, given dnext = dh':
//
//	dz = dh'∘(h̃-h) ∘ z∘(1-z)     dh̃ = dh'∘z ∘ (1-h̃²)
//	d(r∘h) = Uᵀ dh̃               dr = d(r∘h)∘h ∘ r∘(1-r)
//	dh = dh'∘(1-z) + d(r∘h)∘r + Uzᵀ dz + Urᵀ dr
//
// gates holds z, r and h̃ and is overwritten by the gradients of their pre-activations, dz, dr and
// dh̃. The first prev.Rows rows of dprev receive dh; drh is scratch. dprev, drh and dnext have as
// many rows as gates.
func (t *Transposed) StepBackward(k kernels.Impl, gates, dprev, drh, prev, dnext kernels.Matrix) {
	h, p := t.U.Out(), prev.Rows
	k.GRUStateBackwardRows(dprev, gates, prev, dnext)
	if p == 0 {
		return
	}
	continued := gates.Slice(0, p)
	k.Linear(drh.Slice(0, p), t.U, continued.Columns(2*h, 3*h), nil, kernels.Identity)
	k.GRUGatesBackwardRows(dprev, gates, drh, prev)
	k.LinearAdd(dprev.Slice(0, p), t.Uzr, continued.Columns(0, 2*h), kernels.Identity)
}

// Accumulate adds the gradients of all weights to g, given the rows of all steps at once: the
// gradients of the pre-activations dgates, the inputs x, the states before each step prev (zeros
// where a sequence starts), and rh. Each gradient is one product over all rows in their order.
func (g *GRU) Accumulate(k kernels.Impl, dgates, x, prev, rh kernels.Matrix) {
	h := g.Hidden()
	k.LinearGrad(g.W.Float32, dgates, x)
	k.SumRows(g.B, dgates)
	k.LinearGrad(g.Uzr.Float32, dgates.Columns(0, 2*h), prev)
	k.LinearGrad(g.U.Float32, dgates.Columns(2*h, 3*h), rh)
}
