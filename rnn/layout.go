package rnn

import "math"

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
