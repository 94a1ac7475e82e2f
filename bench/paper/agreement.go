package main

import (
	"math"

	"github.com/softsearch-go/softsearch/kernels"
)

// agree returns how much both directions agree that a target word (row) and a source word (column) translate each
// other, from 0 to 1: √(P(i|j) · P(j|i)), where P are the posterior probabilities of two hidden Markov models (Vogel, Ney
// and Tillmann, 1996), one whose states are the source words and one whose states are the target words. Liang, Taskar
// and Klein (2006) multiply posteriors in this way. The emissions come from what the target words need of the source
// words, and in the other direction, backward, which are overwritten.
func agree(forward, backward kernels.Matrix) kernels.Matrix {
	for j := range forward.Rows {
		for i, v := range forward.Row(j) {
			sum := v + backward.Row(i)[j]
			forward.Row(j)[i], backward.Row(i)[j] = sum, sum
		}
	}
	for _, needs := range []kernels.Matrix{forward, backward} {
		for r := range needs.Rows {
			kernels.Best().Softmax(needs.Row(r), needs.Row(r))
		}
	}
	there, back := probabilities(forward.Rows, forward.Cols), probabilities(backward.Rows, backward.Cols)
	for j, row := range there {
		for i := range row {
			emission := float64(forward.Row(j)[i]) * float64(backward.Row(i)[j])
			there[j][i], back[i][j] = emission, emission
		}
	}
	there, back = posterior(there), posterior(back)
	for j, row := range there {
		for i, v := range row {
			forward.Row(j)[i] = float32(math.Sqrt(v * back[i][j]))
		}
	}
	return forward
}

func probabilities(rows, columns int) [][]float64 {
	p := make([][]float64, rows)
	for r := range p {
		p[r] = make([]float64, columns)
	}
	return p
}

// posterior returns the probabilities of the states (columns) at each position (row) of a hidden Markov model, given
// the emission probabilities there. State i follows state h with a probability proportional to exp(-|i-h-1|/2) + 1/50.
// Before the first position the state is -1; after the last one it is the number of states, with that weight.
func posterior(emission [][]float64) [][]float64 {
	if len(emission) == 0 {
		return nil
	}
	positions, states := len(emission), len(emission[0])
	weight := func(from, to int) float64 { return math.Exp(-math.Abs(float64(to-from-1))/2) + 0.02 }
	jump := probabilities(states+1, states) // from -1, 0, 1, …
	for from := range jump {
		for to := range jump[from] {
			jump[from][to] = weight(from-1, to)
		}
		normalize(jump[from])
	}
	// p holds the forward probabilities, multiplied by the backward ones from the last position on.
	p := probabilities(positions, states)
	for j := range p {
		for i := range p[j] {
			if j == 0 {
				p[j][i] = jump[0][i]
			} else {
				for from, before := range p[j-1] {
					p[j][i] += before * jump[from+1][i]
				}
			}
			p[j][i] *= emission[j][i]
		}
		normalize(p[j])
	}
	after := make([]float64, states)
	for i := range after {
		after[i] = weight(i, states)
	}
	for j := positions - 1; j >= 0; j-- {
		next := make([]float64, states)
		for i := range next {
			for to := range after {
				next[i] += jump[i+1][to] * emission[j][to] * after[to]
			}
			p[j][i] *= after[i]
		}
		normalize(p[j])
		normalize(next)
		after = next
	}
	return p
}

// normalize divides x by its sum.
func normalize(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for i := range x {
		x[i] /= sum
	}
}
