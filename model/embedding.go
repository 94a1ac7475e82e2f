package model

import (
	"math/bits"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// An embedding updates a matrix of embeddings, of which a batch has few rows. Where the gradient
// is 0, a step of Adadelta leaves the weight as it is and makes both running averages decay; a
// row makes up for that when a batch has it again. The bits are those of steps of all rows.
type embedding struct {
	weights, gradient kernels.Matrix
	g2, dx2           kernels.Matrix // running averages, those of a row as of update current[row]
	current           []int
	updates           int              // so far
	rule              kernels.Adadelta // of the last update
	marks             []uint64         // bit row%64 of marks[row/64] is set while rows are found
	rows              []int            // of the last batch, each once, ascending
	squares           []float64        // of the gradient of each of rows
}

func newEmbedding(weights, gradient, g2, dx2 kernels.Matrix) *embedding {
	n := weights.Rows
	return &embedding{
		weights: weights, gradient: gradient, g2: g2, dx2: dx2, current: make([]int, n),
		marks: make([]uint64, (n+63)/64), rows: make([]int, 0, n), squares: make([]float64, n),
	}
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

// update takes a step on the rows of the batch. Rho is the same in all steps.
func (e *embedding) update(k kernels.Impl, rule kernels.Adadelta) {
	e.rule = rule
	e.updates++
	e.divide(k, (*updateTask)(e), kernels.CostFunction)
}

// divide does a task on the rows of the batch, of that cost for each value.
func (e *embedding) divide(k kernels.Impl, task kernels.Task, cost int) {
	k.Divide(task, len(e.rows), cost*len(e.rows)*e.weights.Cols)
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

type updateTask embedding

func (t *updateTask) Run(k kernels.Impl, from, to int) {
	for _, row := range t.rows[from:to] {
		g2, dx2, missed := t.g2.Row(row), t.dx2.Row(row), t.updates-1-t.current[row]
		k.Decay(g2, t.rule.Rho, missed)
		k.Decay(dx2, t.rule.Rho, missed)
		k.Update(t.rule, t.weights.Row(row), t.gradient.Row(row), g2, dx2)
		t.current[row] = t.updates
	}
}
