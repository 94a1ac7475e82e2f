package rnn

import "github.com/softsearch-go/softsearch/kernels"

// A Sequence runs a GRU over a batch of sequences, from the first position to the last or, if it
// is reversed, from the last to the first. It keeps what the backward pass needs, and belongs to
// one goroutine at a time.
type Sequence struct {
	hidden   int
	reversed bool
	gates    []float32 // rows×3H
	rh       []float32 // rows×H
	prev     []float32 // rows×H, gathered by Backward
	dprev    []float32 // sequences×H
	drh      []float32 // sequences×H
	before   []int32   // rows: the row that each continues from
}

// NewSequence returns a Sequence for a GRU of hidden units, for batches of up to that many
// sequences with up to that many rows in total.
func NewSequence(hidden, sequences, rows int, reversed bool) *Sequence {
	s := newSequence(hidden, sequences, rows, kernels.Alloc)
	s.reversed, s.before = reversed, make([]int32, rows)
	return s
}

// SequenceBytes returns the size in bytes of the buffers that NewSequence allocates.
func SequenceBytes(hidden, sequences, rows int) int64 {
	bytes := 4 * int64(rows) // before
	newSequence(hidden, sequences, rows, func(n int) []float32 {
		bytes += 4 * int64(n)
		return nil
	})
	return bytes
}

func newSequence(hidden, sequences, rows int, alloc func(n int) []float32) *Sequence {
	return &Sequence{
		hidden: hidden,
		gates:  alloc(rows * 3 * hidden), rh: alloc(rows * hidden), prev: alloc(rows * hidden),
		dprev: alloc(sequences * hidden), drh: alloc(sequences * hidden),
	}
}

// Forward computes the states h of all positions from the inputs x, both laid out by l. x is
// rows×E, h is rows×H.
func (s *Sequence) Forward(k kernels.Impl, g *GRU, l *Layout, h, x kernels.Matrix) {
	gates := kernels.View(s.gates, l.Rows(), 3*s.hidden)
	rh := kernels.View(s.rh, l.Rows(), s.hidden)
	g.Project(k, gates, x)
	for i := range l.Steps() {
		t := s.position(l, i)
		from, to := l.Row(t), l.Row(t+1)
		g.Step(k, gates.Slice(from, to), rh.Slice(from, to), h.Slice(from, to), s.previous(l, h, t))
	}
}

// Backward adds the gradients of g's weights to dg, given the gradient dh of the states, which it
// overwrites. It writes the gradient of x to dx, or adds it if add is set. h and x must be those
// of the last Forward. scratch needs kernels.GradScratch of E and of H.
func (s *Sequence) Backward(k kernels.Impl, dg *GRU, tr *Transposed, l *Layout, h, dh, x, dx kernels.Matrix, add bool, scratch []float32) {
	gates := kernels.View(s.gates, l.Rows(), 3*s.hidden)
	rh := kernels.View(s.rh, l.Rows(), s.hidden)
	for i := l.Steps() - 1; i >= 0; i-- {
		t := s.position(l, i)
		from, to := l.Row(t), l.Row(t+1)
		dprev := kernels.View(s.dprev, to-from, s.hidden)
		drh := kernels.View(s.drh, to-from, s.hidden)
		tr.StepBackward(k, gates.Slice(from, to), dprev, drh, s.previous(l, h, t), dh.Slice(from, to))
		before := s.previous(l, dh, t)
		k.AddRows(before, dprev.Slice(0, before.Rows))
	}
	prev := kernels.View(s.prev, l.Rows(), s.hidden)
	k.GatherRows(prev, h, s.previousRows(l))
	dg.Accumulate(k, gates, x, prev, rh, scratch)
	if add {
		k.GemmAdd(dx, tr.W, gates, kernels.Identity)
		return
	}
	k.Gemm(dx, tr.W, gates, nil, kernels.Identity)
}

// position returns the position of step i.
func (s *Sequence) position(l *Layout, i int) int {
	if s.reversed {
		return l.Steps() - 1 - i
	}
	return i
}

// previous returns the rows of m that position t continues from.
func (s *Sequence) previous(l *Layout, m kernels.Matrix, t int) kernels.Matrix {
	row, n := s.continued(l, t)
	return m.Slice(row, row+n)
}

// previousRows lists the row that each row continues from, -1 where a sequence starts.
func (s *Sequence) previousRows(l *Layout) []int32 {
	rows := s.before[:l.Rows()]
	for t := range l.Steps() {
		first, n := s.continued(l, t)
		for b := range l.Active(t) {
			rows[l.Row(t)+b] = -1
			if b < n {
				rows[l.Row(t)+b] = int32(first + b)
			}
		}
	}
	return rows
}

// continued returns the first row that position t continues from and the number of rows: those
// of the neighboring position, for the sequences that have both.
func (s *Sequence) continued(l *Layout, t int) (row, n int) {
	neighbor := t - 1
	if s.reversed {
		neighbor = t + 1
	}
	n = min(l.Active(neighbor), l.Active(t))
	if n == 0 {
		return 0, 0
	}
	return l.Row(neighbor), n
}
