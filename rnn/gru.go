package rnn

import (
	"math"
	"math/bits"

	"github.com/softsearch-go/softsearch/kernels"
)

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

const (
	badSequence = "rnn: NewSequence: negative or overflowing size"
	badOperands = "rnn: weights, their gradients, transposes or layout are nil"
)

// A Sequence runs a GRU over a batch of sequences, from the first position to the last or, if it
// is reversed, from the last to the first. It keeps what the backward pass needs, and belongs to
// one goroutine at a time.
type Sequence struct {
	hidden    int
	sequences int
	direction direction
	gates     []float32 // rows×3H
	rh        []float32 // rows×H
	prev      []float32 // rows×H, gathered by Backward
	dprev     []float32 // sequences×H
	drh       []float32 // sequences×H
	before    []int32   // rows: the row that each continues from

	// The operands of the last Forward.
	layout *Layout // nil before it and after Backward
	h, x   kernels.Matrix
}

// NewSequence returns a Sequence for a GRU of hidden units, for batches of up to that many
// sequences with up to that many rows in total. It panics if a size is negative, rows is above 2³¹-1
// (2²⁷-1 where int has 32 bits), or the size of a buffer in bytes overflows int.
func NewSequence(hidden, sequences, rows int, reversed bool) *Sequence {
	if rows > maxPositions {
		panic(badSequence)
	}
	s := newSequence(hidden, sequences, rows, func(n uint64) []float32 {
		if n > math.MaxInt/4 {
			panic(badSequence)
		}
		return kernels.Alloc(int(n))
	})
	s.direction, s.before = direction(reversed), make([]int32, rows)
	return s
}

// SequenceBytes returns the size in bytes of the buffers that NewSequence allocates, or math.MaxInt64
// where that overflows int64. It panics if a size is negative.
func SequenceBytes(hidden, sequences, rows int) int64 {
	values := uint64(rows) // before
	newSequence(hidden, sequences, rows, func(n uint64) []float32 {
		values = min(values+min(n, math.MaxInt64), math.MaxInt64)
		return nil
	})
	if values > math.MaxInt64/4 {
		return math.MaxInt64
	}
	return int64(4 * values)
}

// newSequence allocates the buffers of values. It passes math.MaxUint64 for a number that overflows.
func newSequence(hidden, sequences, rows int, alloc func(n uint64) []float32) *Sequence {
	if hidden < 0 || sequences < 0 || rows < 0 {
		panic(badSequence)
	}
	state, gates := product(rows, hidden, 1), product(rows, hidden, 3)
	return &Sequence{
		hidden: hidden, sequences: sequences,
		gates: alloc(gates), rh: alloc(state), prev: alloc(state),
		dprev: alloc(product(sequences, hidden, 1)), drh: alloc(product(sequences, hidden, 1)),
	}
}

// product returns a·b·c, or math.MaxUint64 where that overflows, for a, b, c ≥ 0.
func product(a, b, c int) uint64 {
	over, ab := bits.Mul64(uint64(a), uint64(b))
	high, abc := bits.Mul64(ab, uint64(c))
	if over|high > 0 {
		return math.MaxUint64
	}
	return abc
}

// Forward computes the states h of all positions from the inputs x, both laid out by l. x is
// rows×E, h is rows×H. Backward reads l, h and x again: until then they must not change. Forward panics if
// g or l is nil, the shapes do not agree, or s has no room for the sequences or rows.
func (s *Sequence) Forward(k kernels.Impl, g *GRU, l *Layout, h, x kernels.Matrix) {
	if g == nil || l == nil {
		panic(badOperands)
	}
	if l.Active(0) > s.sequences || l.Rows() > len(s.before) {
		panic("rnn: Sequence: layout has more sequences or rows than NewSequence was given")
	}
	s.layout, s.h, s.x = l, h, x
	gates := kernels.View(s.gates, l.Rows(), 3*s.hidden)
	rh := kernels.View(s.rh, l.Rows(), s.hidden)
	s.direction.run(k, g, l, gates, rh, kernels.Matrix{}, h, x)
}

// Backward is the backward pass of the last Forward: it adds the gradients of the weights to dg, given
// the gradient dh of the states, which it overwrites. It writes the gradient of x to dx, or adds it
// if add is set. tr holds the transposes of the weights. It overwrites what Forward kept, so each Backward
// needs a Forward of its own. It panics if dg or tr is nil, the shapes do not agree, or there was no
// Forward since the last Backward.
func (s *Sequence) Backward(k kernels.Impl, dg *GRU, tr *Transposed, dh, dx kernels.Matrix, add bool) {
	if dg == nil || tr == nil {
		panic(badOperands)
	}
	if s.layout == nil {
		panic("rnn: Backward without Forward")
	}
	l, h := s.layout, s.h
	s.layout = nil // the loop replaces gates with their gradients
	gates := kernels.View(s.gates, l.Rows(), 3*s.hidden)
	rh := kernels.View(s.rh, l.Rows(), s.hidden)
	for i := l.Steps() - 1; i >= 0; i-- {
		t := s.direction.position(l, i)
		from, to := l.Row(t), l.Row(t+1)
		dprev := kernels.View(s.dprev, to-from, s.hidden)
		drh := kernels.View(s.drh, to-from, s.hidden)
		tr.StepBackward(k, gates.Slice(from, to), dprev, drh, s.direction.previous(l, h, t), dh.Slice(from, to))
		before := s.direction.previous(l, dh, t)
		k.AddRows(before, dprev.Slice(0, before.Rows))
	}
	prev := kernels.View(s.prev, l.Rows(), s.hidden)
	k.GatherRows(prev, h, s.previousRows(l))
	dg.Accumulate(k, gates, s.x, prev, rh)
	if add {
		k.LinearAdd(dx, tr.W, gates, kernels.Identity)
		return
	}
	k.Linear(dx, tr.W, gates, nil, kernels.Identity)
}

// previousRows lists the row that each row continues from, -1 where a sequence starts.
func (s *Sequence) previousRows(l *Layout) []int32 {
	rows := s.before[:l.Rows()]
	for t := range l.Steps() {
		first, n := s.direction.continued(l, t)
		for b := range l.Active(t) {
			rows[l.Row(t)+b] = -1
			if b < n {
				rows[l.Row(t)+b] = int32(first + b)
			}
		}
	}
	return rows
}
