package model

import "github.com/softsearch-go/softsearch/kernels"

// A smoothing makes the aim of training 1-ε for the word that is right plus ε/V for each of all V
// words (Szegedy et al. 2016). Nil is none.
type smoothing struct {
	right float32   // ε
	every []float32 // -ε/V, as often as is added at a time

	losses []float32 // the operands of crossEntropyRows
	scores kernels.Matrix
	words  []int32
}

// smoothingPart is the number of scores that -ε/V is added to at a time, from the first cache.
const smoothingPart = 1024

func newSmoothing(epsilon float64, vocabulary int) *smoothing {
	if epsilon == 0 {
		return nil
	}
	s := &smoothing{right: float32(epsilon), every: make([]float32, min(vocabulary, smoothingPart))}
	for i := range s.every {
		s.every[i] = float32(-epsilon / float64(vocabulary))
	}
	return s
}

// crossEntropyRows is kernels.Impl.CrossEntropyRows, losses included, but for the gradient that
// replaces the scores. It is that of -Σ_v q_v log p_v, where q is the aim: p - q, the gradient of the
// losses with ε added at the word and ε/V subtracted from all.
func (s *smoothing) crossEntropyRows(k kernels.Impl, losses []float32, scores kernels.Matrix, words []int32) {
	if s == nil {
		k.CrossEntropyRows(losses, scores, words)
		return
	}
	s.losses, s.scores, s.words = losses, scores, words
	k.Divide((*smoothingTask)(s), scores.Rows, kernels.CostFunction*scores.Rows*scores.Cols)
}

// smoothingTask takes rows one after the other, so that each is still in a cache when it is
// smoothed.
type smoothingTask smoothing

func (s *smoothingTask) Run(k kernels.Impl, from, to int) {
	for i := from; i < to; i++ {
		row, word := s.scores.Row(i), s.words[i]
		s.losses[i] = k.CrossEntropy(row, int(word))
		row[word] += s.right
		for len(row) > 0 {
			n := min(len(row), len(s.every))
			k.Add(row[:n], s.every[:n])
			row = row[n:]
		}
	}
}
