package model

import (
	"math/bits"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// An embedding is the gradient of a matrix of embeddings, of which a batch has few rows: the
// others stay 0.
type embedding struct {
	gradient kernels.Matrix
	marks    []uint64  // bit row%64 of marks[row/64] is set while rows are found
	rows     []int     // of the last batch, each once, ascending
	squares  []float64 // of the gradient of each of rows
}

func newEmbedding(gradient kernels.Matrix) *embedding {
	n := gradient.Rows
	return &embedding{gradient: gradient, marks: make([]uint64, (n+63)/64), rows: make([]int, 0, n), squares: make([]float64, n)}
}

// begin clears the gradient, which is 0 but in the rows of the last batch, and finds those of
// this one, of which words returns a side.
func (e *embedding) begin(k kernels.Impl, batch []text.Example, words func(text.Example) []int32) {
	e.divide(k, (*clearTask)(e), kernels.CostMove)
	for _, pair := range batch {
		for _, word := range words(pair) {
			e.marks[word/64] |= 1 << (word % 64)
		}
	}
	e.rows = e.rows[:0]
	for i, mark := range e.marks {
		for ; mark != 0; mark &= mark - 1 {
			e.rows = append(e.rows, 64*i+bits.TrailingZeros64(mark))
		}
	}
	clear(e.marks)
}

// sumSquares returns the sum of the squares of the gradient: one sum for each row, added in
// ascending order. Rows that the batch does not have would add 0.
func (e *embedding) sumSquares(k kernels.Impl) float64 {
	e.divide(k, (*squaresTask)(e), kernels.CostMove)
	sum := 0.0
	for _, s := range e.squares[:len(e.rows)] {
		sum += s
	}
	return sum
}

// divide does a task on the rows of the batch, of that cost for each value.
func (e *embedding) divide(k kernels.Impl, task kernels.Task, cost int) {
	k.Divide(task, len(e.rows), cost*len(e.rows)*e.gradient.Cols)
}

type clearTask embedding

func (t *clearTask) Run(_ kernels.Impl, from, to int) {
	for _, row := range t.rows[from:to] {
		clear(t.gradient.Row(row))
	}
}

type squaresTask embedding

func (t *squaresTask) Run(k kernels.Impl, from, to int) {
	for i, row := range t.rows[from:to] {
		t.squares[from+i] = k.SumSquares(t.gradient.Row(row))
	}
}
