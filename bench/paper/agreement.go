package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
)

// agreement returns how much both directions of a sentence pair agree that a target word (row) and a source word
// (column) translate each other, from 0 to 1, given how much they need each other: √(P(i|j) · P(j|i)), where P are the
// posterior probabilities of two hidden Markov models (Vogel, Ney and Tillmann, 1996), one whose states are the source
// words and one whose states are the target words. Liang, Taskar and Klein (2006) multiply posteriors in this way.
func agreement(needs kernels.Matrix) kernels.Matrix {
	a := kernels.NewMatrix(needs.Rows, needs.Cols)
	if a.Rows == 0 || a.Cols == 0 {
		return a
	}
	emission := make([][]float64, a.Rows)
	for j := range emission {
		emission[j] = make([]float64, a.Cols)
		for i, v := range needs.Row(j) {
			emission[j][i] = float64(v)
		}
	}
	of := transposed(emission)
	softmax(emission)
	softmax(of)
	for j, row := range emission {
		for i := range row {
			row[i] *= of[i][j]
		}
	}
	there, back := posterior(emission), posterior(transposed(emission))
	for j := range a.Rows {
		for i := range a.Cols {
			a.Row(j)[i] = float32(math.Sqrt(there[j][i] * back[i][j]))
		}
	}
	return a
}

// minAgreement is what a link needs.
const minAgreement = 0.2

// closest returns a link i-j from each row j to the column i with its largest agreement, if that is enough.
func closest(m kernels.Matrix) string {
	var links []string
	for j := range m.Rows {
		best := 0
		for i, v := range m.Row(j) {
			if v > m.Row(j)[best] {
				best = i
			}
		}
		if m.Cols > 0 && m.Row(j)[best] >= minAgreement {
			links = append(links, fmt.Sprintf("%d-%d", best, j))
		}
	}
	return strings.Join(links, " ")
}

// posterior returns the probabilities of the states (columns) at each position (row) of a hidden Markov model, given
// the emission probabilities there. State i follows state h, or -1 at first, with a probability proportional to
// exp(-|i-h-1|/2) + 1/50.
func posterior(emission [][]float64) [][]float64 {
	positions, states := len(emission), len(emission[0])
	jump := make([][]float64, states+1) // from -1, 0, 1, …
	for from := range jump {
		jump[from] = make([]float64, states)
		for to := range jump[from] {
			jump[from][to] = math.Exp(-math.Abs(float64(to-from))/2) + 0.02
		}
		normalize(jump[from])
	}
	// p holds the forward probabilities, multiplied by the backward ones from the last position on.
	p := make([][]float64, positions)
	for j := range p {
		p[j] = make([]float64, states)
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
		after[i] = 1
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

func transposed(m [][]float64) [][]float64 {
	t := make([][]float64, len(m[0]))
	for i := range t {
		for _, row := range m {
			t[i] = append(t[i], row[i])
		}
	}
	return t
}

// softmax replaces each row by its softmax.
func softmax(m [][]float64) {
	for _, row := range m {
		largest := row[0]
		for _, v := range row {
			largest = max(largest, v)
		}
		for i, v := range row {
			row[i] = math.Exp(v - largest)
		}
		normalize(row)
	}
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
