package rnn

import "github.com/softsearch-go/softsearch/kernels"

// A Bidirectional runs one GRU forward and another one reversed over the same inputs. Its states
// have 2H columns: [→h; ←h]. It belongs to one goroutine at a time.
type Bidirectional struct {
	hidden   int
	forward  *Sequence
	backward *Sequence
}

// NewBidirectional returns a Bidirectional for GRUs of hidden units each. Its buffers are those
// of two calls of NewSequence, and it panics as they do.
func NewBidirectional(hidden, sequences, rows int) *Bidirectional {
	return &Bidirectional{
		hidden:   hidden,
		forward:  NewSequence(hidden, sequences, rows, false),
		backward: NewSequence(hidden, sequences, rows, true),
	}
}

// Forward computes the states h (rows×2H) from the inputs x (rows×E). See Sequence.Forward.
func (s *Bidirectional) Forward(k kernels.Impl, forward, backward *GRU, l *Layout, h, x kernels.Matrix) {
	s.forward.Forward(k, forward, l, h.Columns(0, s.hidden), x)
	s.backward.Forward(k, backward, l, h.Columns(s.hidden, 2*s.hidden), x)
}

// Backward is the backward pass of the last Forward: it adds the gradients of the weights to dforward
// and dbackward, given the gradient dh of the states, which it overwrites, and writes the gradient
// of x to dx. See Sequence.Backward.
func (s *Bidirectional) Backward(k kernels.Impl, dforward, dbackward *GRU, tforward, tbackward *Transposed, dh, dx kernels.Matrix) {
	n := s.hidden
	s.forward.Backward(k, dforward, tforward, dh.Columns(0, n), dx, false)
	s.backward.Backward(k, dbackward, tbackward, dh.Columns(n, 2*n), dx, true)
}
