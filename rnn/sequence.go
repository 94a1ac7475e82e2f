package rnn

import "github.com/softsearch-go/softsearch/kernels"

// A Sequence runs a GRU over a batch of sequences, from the first position to the last or,
// reversed, from the last to the first, and keeps what the backward pass needs. It belongs
// to one goroutine.
type Sequence struct {
	hidden   int
	reversed bool
	gates    []float32 // rows×3H
	rh       []float32 // rows×H
	prev     []float32 // rows×H, gathered by Backward
	dprev    []float32 // sequences×H
	drh      []float32 // sequences×H
	zero     []float32 // H
}

// NewSequence returns a workspace for a GRU of hidden units over batches of up to that many
// sequences and, over all of them, that many rows.
func NewSequence(hidden, sequences, rows int, reversed bool) *Sequence {
	return &Sequence{
		hidden: hidden, reversed: reversed,
		gates: kernels.Alloc(rows * 3 * hidden),
		rh:    kernels.Alloc(rows * hidden),
		prev:  kernels.Alloc(rows * hidden),
		dprev: kernels.Alloc(sequences * hidden),
		drh:   kernels.Alloc(sequences * hidden),
		zero:  make([]float32, hidden),
	}
}

// Forward computes the states h of all positions from the inputs x, both laid out by l.
// x is rows×E, h rows×H.
func (s *Sequence) Forward(k kernels.Impl, g *GRU, l *Layout, h, x kernels.Matrix) {
	gates := kernels.View(s.gates, l.Rows(), 3*s.hidden)
	rh := kernels.View(s.rh, l.Rows(), s.hidden)
	g.Project(k, gates, x)
	for i := range l.Steps() {
		t := s.step(l, i)
		from, to := l.Row(t), l.Row(t+1)
		g.Step(k, gates.Slice(from, to), rh.Slice(from, to), h.Slice(from, to), s.previous(l, h, t), s.zero)
	}
}

// Backward adds the gradients of g's weights to dg for the gradient dh of the states, and
// writes the gradient of x to dx, or adds it if add is set. It uses dh up.
// scratch needs kernels.GradScratch of E and of H.
func (s *Sequence) Backward(k kernels.Impl, dg *GRU, tr *Transposed, l *Layout, h, dh, x, dx kernels.Matrix, add bool, scratch []float32) {
	gates := kernels.View(s.gates, l.Rows(), 3*s.hidden)
	rh := kernels.View(s.rh, l.Rows(), s.hidden)
	for i := l.Steps() - 1; i >= 0; i-- {
		t := s.step(l, i)
		from, to := l.Row(t), l.Row(t+1)
		dprev := kernels.View(s.dprev, to-from, s.hidden)
		drh := kernels.View(s.drh, to-from, s.hidden)
		tr.StepBackward(k, gates.Slice(from, to), dprev, drh, s.previous(l, h, t), dh.Slice(from, to), s.zero)
		before := s.previous(l, dh, t)
		for b := range before.Rows {
			k.Add(before.Row(b), dprev.Row(b))
		}
	}
	prev := kernels.View(s.prev, l.Rows(), s.hidden)
	s.gatherPrevious(l, prev, h)
	dg.Accumulate(k, gates, x, prev, rh, scratch)
	if add {
		k.GemmAdd(dx, tr.W, gates, kernels.Identity)
		return
	}
	k.Gemm(dx, tr.W, gates, nil, kernels.Identity)
}

// step returns the position that is visited i-th.
func (s *Sequence) step(l *Layout, i int) int {
	if s.reversed {
		return l.Steps() - 1 - i
	}
	return i
}

// previous returns the rows of m that position t continues from: those of its neighbour,
// for the sequences that have it.
func (s *Sequence) previous(l *Layout, m kernels.Matrix, t int) kernels.Matrix {
	n := t - 1
	if s.reversed {
		n = t + 1
	}
	rows := min(l.Active(n), l.Active(t))
	if rows == 0 {
		return m.Slice(0, 0)
	}
	return m.Slice(l.Row(n), l.Row(n)+rows)
}

// gatherPrevious sets each row of prev to the state that its position continued from.
func (s *Sequence) gatherPrevious(l *Layout, prev, h kernels.Matrix) {
	for t := range l.Steps() {
		before := s.previous(l, h, t)
		for b := range l.Active(t) {
			copy(prev.Row(l.Row(t)+b), rowOr(before, b, s.zero))
		}
	}
}
