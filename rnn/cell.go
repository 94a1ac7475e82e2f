package rnn

import "github.com/softsearch-go/softsearch/kernels"

// A Cell holds the weights of a recurrent layer with H units and E inputs, in one direction: a [GRU], a
// [GRUResetAfter] or an [LSTM].
type Cell interface {
	Hidden() int // H
	Inputs() int // E
	Gates() int  // the number of columns that Project and Step need

	// Project computes the share of the inputs in the gates of any number of steps. x is rows×E, gates is
	// rows×Gates().
	Project(k kernels.Impl, gates, x kernels.Matrix)

	// Step computes the states next of all rows from gates, which holds the result of Project, and the states
	// prev of the first rows; the others start from zeros. memory is the state of an LSTM beside h, which the
	// step replaces, and scratch of a GRU. next and memory are rows×H, and prev has H columns and at most as
	// many rows. next must not overlap prev.
	Step(k kernels.Impl, gates, memory, next, prev kernels.Matrix)
}

// A GRUResetAfter holds the weights of a gated recurrent unit whose reset gate acts after the product with the
// state, and whose z keeps the old state, as nn.GRU of PyTorch, with H units and E inputs.
type GRUResetAfter struct {
	W kernels.Weights // 3H×E: [Wn; Wr; Wz]
	B []float32       // 3H: [bn; br+cr; bz+cz], or nil for zeros
	U kernels.Weights // 3H×H: [Ur; Uz; Un]
	C []float32       // H: cn, or nil for zeros
}

// Hidden returns the number of units.
func (g *GRUResetAfter) Hidden() int { return g.U.In() }

// Inputs returns the number of inputs.
func (g *GRUResetAfter) Inputs() int { return g.W.In() }

// Gates returns 4H.
func (g *GRUResetAfter) Gates() int { return 4 * g.Hidden() }

// Project computes the share of the inputs: gates = [x·Wᵀ + B, C]. x is rows×E, gates is rows×4H.
func (g *GRUResetAfter) Project(k kernels.Impl, gates, x kernels.Matrix) {
	h := g.Hidden()
	if gates.Cols != 4*h || g.C != nil && len(g.C) != h {
		panic("rnn: GRUResetAfter: gates has not 4H columns, or C not H values")
	}
	k.Linear(gates.Columns(0, 3*h), g.W, x, g.B, kernels.Identity)
	for i := 0; h > 0 && i < gates.Rows; i++ {
		if u := gates.Row(i)[3*h:]; g.C == nil {
			clear(u)
		} else {
			copy(u, g.C)
		}
	}
}

// Step computes one step of all rows, with u = Un h + cn:
//
//	r = σ(gates_r + Ur h)     z = σ(gates_z + Uz h)
//	n = tanh(gates_n + r∘u)
//	h' = (1-z)∘n + z∘h
//
// gates holds the result of Project, and what else adds to it; the step overwrites it. memory is not used. prev
// holds h of the first rows; the others start from zeros. gates is rows×4H, next is rows×H, and prev has H columns
// and at most as many rows. The first rows of next may be prev.
func (g *GRUResetAfter) Step(k kernels.Impl, gates, memory, next, prev kernels.Matrix) {
	if h, p := g.Hidden(), prev.Rows; p > 0 {
		k.LinearAdd(gates.Slice(0, p).Columns(h, 4*h), g.U, prev, kernels.Identity)
	}
	k.GRUResetAfterRows(next, gates, prev)
}

// An LSTM holds the weights of a long short-term memory with H units and E inputs. Its gates are ordered as in PyTorch's
// nn.LSTM: input, forget, candidate, output.
type LSTM struct {
	W kernels.Weights // 4H×E: [Wi; Wf; Wg; Wo]
	B []float32       // 4H: the sums of both biases, or nil for zeros
	U kernels.Weights // 4H×H: [Ui; Uf; Ug; Uo]
}

// Hidden returns the number of units.
func (l *LSTM) Hidden() int { return l.U.In() }

// Inputs returns the number of inputs.
func (l *LSTM) Inputs() int { return l.W.In() }

// Gates returns 4H.
func (l *LSTM) Gates() int { return 4 * l.Hidden() }

// Project computes the share of the inputs: gates = x·Wᵀ + B. x is rows×E, gates is rows×4H.
func (l *LSTM) Project(k kernels.Impl, gates, x kernels.Matrix) {
	k.Linear(gates, l.W, x, l.B, kernels.Identity)
}

// Step computes one step of all rows:
//
//	i = σ(gates_i + Ui h)        f = σ(gates_f + Uf h)
//	g = tanh(gates_g + Ug h)     o = σ(gates_o + Uo h)
//	C' = f∘C + i∘g               h' = o∘tanh(C')
//
// gates holds the result of Project, and what else adds to it; the step overwrites it. prev holds h and memory C
// of the first rows; the others start from zeros. memory receives C' and next h'. gates is rows×4H, memory and next
// are rows×H, and prev has H columns and at most as many rows. The first rows of next may be prev.
func (l *LSTM) Step(k kernels.Impl, gates, memory, next, prev kernels.Matrix) {
	p := prev.Rows
	if p > 0 {
		k.LinearAdd(gates.Slice(0, p), l.U, prev, kernels.Identity)
	}
	k.LSTMStateRows(next, memory, gates, memory.Slice(0, p))
}
