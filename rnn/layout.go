package rnn

import (
	"math"

	"github.com/softsearch-go/softsearch/kernels"
)

// maxPositions bounds the positions of a layout: rows have int32 indices, and the offsets must fit an
// address space.
const maxPositions = min(math.MaxInt32, math.MaxInt/16)

// A Layout numbers the positions of sequences of different lengths time-major: position 0 of all
// sequences, then position 1 of those that have one, and so on, without gaps. Sequences are
// ordered from the longest to the shortest, so that those active at a step are always the first
// ones. The zero value has no sequences.
type Layout struct {
	offsets []int // offsets[t] is the first row of step t; offsets[Steps()] is the number of rows; none in the zero value
}

// NewLayout returns a layout with room for sequences of up to steps positions. It panics if steps is
// negative, or above 2³¹-1 (2²⁷-1 where int has 32 bits).
func NewLayout(steps int) Layout {
	if steps < 0 || steps > maxPositions {
		panic("rnn: NewLayout: steps out of range")
	}
	return Layout{offsets: make([]int, 1, steps+1)}
}

// Set lays out sequences of the given lengths. It panics if they are not positive and descending, or
// their sum exceeds the limit of NewLayout. It allocates only if the longest sequence exceeds the room
// of NewLayout.
func (l *Layout) Set(lengths []int) {
	l.offsets = append(l.offsets[:0], 0)
	if len(lengths) == 0 {
		return
	}
	active, total := len(lengths), 0
	for i, n := range lengths {
		if n <= 0 || i > 0 && n > lengths[i-1] {
			panic("rnn: Layout: lengths must be positive and descending")
		}
		if n > maxPositions-total {
			panic("rnn: Layout: too many positions")
		}
		total += n
	}
	for t := range lengths[0] {
		for lengths[active-1] <= t {
			active--
		}
		l.offsets = append(l.offsets, l.offsets[t]+active)
	}
}

// Steps returns the length of the longest sequence.
func (l *Layout) Steps() int { return max(0, len(l.offsets)-1) }

// Rows returns the number of positions of all sequences.
func (l *Layout) Rows() int { return l.Row(l.Steps()) }

// Active returns the number of sequences that have a position t.
func (l *Layout) Active(t int) int {
	if t < 0 || t >= l.Steps() {
		return 0
	}
	return l.offsets[t+1] - l.offsets[t]
}

// Row returns the row of position t of the first sequence, or Rows for t = Steps. It panics for any other t.
func (l *Layout) Row(t int) int {
	switch {
	case t < 0 || t > l.Steps():
		panic("rnn: Layout: no such position")
	case len(l.offsets) == 0:
		return 0
	}
	return l.offsets[t]
}

// A direction is the order in which a cell visits the positions of sequences: from the first to the last or, if
// it is true, from the last to the first.
type direction bool

// run computes the states h of all positions from the inputs x, both laid out by l. gates has as many rows. memory
// has as many, too, or else one for each sequence. The sequences of a forward direction start from the states
// initial, those that it does not have from zeros.
func (d direction) run(k kernels.Impl, c Cell, l *Layout, gates, memory, initial, h, x kernels.Matrix) {
	c.Project(k, gates, x)
	for i := range l.Steps() {
		t := d.position(l, i)
		from, to := l.Row(t), l.Row(t+1)
		prev := d.previous(l, h, t)
		if i == 0 && initial.Rows > 0 {
			prev = initial
		}
		first := 0
		if memory.Rows == l.Rows() {
			first = from
		}
		c.Step(k, gates.Slice(from, to), memory.Slice(first, first+to-from), h.Slice(from, to), prev)
	}
}

// arrive sets row i of at to the last of the states h that sequence i passes.
func (d direction) arrive(l *Layout, at, h kernels.Matrix) {
	for t := range l.Steps() {
		first := l.Active(t + 1) // the sequences before it go on
		switch {
		case bool(d) && t > 0:
			return
		case bool(d):
			first = 0
		}
		for i := first; i < l.Active(t); i++ {
			copy(at.Row(i), h.Row(l.Row(t)+i))
		}
	}
}

func (d direction) position(l *Layout, i int) int {
	if d {
		return l.Steps() - 1 - i
	}
	return i
}

// previous returns the rows of m that position t continues from.
func (d direction) previous(l *Layout, m kernels.Matrix, t int) kernels.Matrix {
	row, n := d.continued(l, t)
	return m.Slice(row, row+n)
}

// continued returns the first row that position t continues from and the number of rows: those
// of the neighboring position, for the sequences that have both.
func (d direction) continued(l *Layout, t int) (row, n int) {
	neighbor := t - 1
	if d {
		neighbor = t + 1
	}
	n = min(l.Active(neighbor), l.Active(t))
	if n == 0 {
		return 0, 0
	}
	return l.Row(neighbor), n
}
