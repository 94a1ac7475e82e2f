package rnn

import "github.com/softsearch-go/softsearch/kernels"

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
