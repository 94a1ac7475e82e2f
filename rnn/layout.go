package rnn

const badLengths = "rnn: Layout: lengths must be positive and descending"

// A Layout numbers the positions of sequences of different lengths time-major: position 0 of all
// sequences, then position 1 of those that have one, and so on, without gaps. Sequences are
// ordered from the longest to the shortest, so that those active at a step are always the first
// ones.
type Layout struct {
	offsets []int // offsets[t] is the first row of step t; offsets[Steps()] is the number of rows
}

// NewLayout returns a layout with room for sequences of up to steps positions.
func NewLayout(steps int) Layout {
	return Layout{offsets: make([]int, 1, steps+1)}
}

// Set lays out sequences of the given lengths, which must be positive and descending. It
// allocates only if the longest sequence exceeds the room of NewLayout.
func (l *Layout) Set(lengths []int) {
	l.offsets = append(l.offsets[:0], 0)
	if len(lengths) == 0 {
		return
	}
	active := len(lengths)
	for i, n := range lengths {
		if n <= 0 || i > 0 && n > lengths[i-1] {
			panic(badLengths)
		}
	}
	for t := range lengths[0] {
		for lengths[active-1] <= t {
			active--
		}
		l.offsets = append(l.offsets, l.offsets[t]+active)
	}
}

// Steps returns the length of the longest sequence.
func (l *Layout) Steps() int { return len(l.offsets) - 1 }

// Rows returns the number of positions of all sequences.
func (l *Layout) Rows() int { return l.offsets[len(l.offsets)-1] }

// Active returns the number of sequences that have a position t.
func (l *Layout) Active(t int) int {
	if t < 0 || t >= l.Steps() {
		return 0
	}
	return l.offsets[t+1] - l.offsets[t]
}

// Row returns the row of position t of the first sequence.
func (l *Layout) Row(t int) int { return l.offsets[t] }
