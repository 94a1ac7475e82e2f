package model

import (
	"math"
	"math/bits"

	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/rnn"
)

// gradients hold the gradient of the loss of a batch with respect to all weights of a model, and what
// every layer's backward pass needs to add its share: the transposed weights.
type gradients struct {
	*Parameters
	source, target *embeddingGradient
	transposed     *transposed
}

// newGradients returns gradients of 0, with room for that many values of vector beyond the dense ones.
func newGradients(a *allocator, c Config, precision Precision, room int) *gradients {
	g := &gradients{Parameters: newParametersBefore(a, c, room), transposed: newTransposed(a, c, precision)}
	g.source, g.target = newEmbeddingGradient(a, g.Source.Float32), newEmbeddingGradient(a, g.Target.Float32)
	return g
}

// begin sets the gradients to 0 for a batch.
func (g *gradients) begin(k kernels.Impl, batch []text.Example) {
	k.Clear(g.dense())
	g.source.begin(k, batch, func(e text.Example) []int32 { return e.Source })
	g.target.begin(k, batch, func(e text.Example) []int32 { return e.Target })
}

// clear sets the gradients to 0 for another shard of the batch.
func (g *gradients) clear(k kernels.Impl) {
	k.Clear(g.dense())
	g.source.clear(k)
	g.target.clear(k)
}

// vector returns all gradients of the batch: the dense ones, which share memory with g, and after them
// a copy of the rows. Other rows of the embeddings have gradient 0.
func (g *gradients) vector() []float32 {
	v := g.dense()
	for _, e := range g.embeddings() {
		for _, row := range e.rows {
			v = append(v, e.gradient.Row(row)...)
		}
	}
	return v
}

// setRows sets the rows of the batch from a vector.
func (g *gradients) setRows(vector []float32) {
	rest := vector[len(g.dense()):]
	for _, e := range g.embeddings() {
		for _, row := range e.rows {
			rest = rest[copy(e.gradient.Row(row), rest):]
		}
	}
}

func (g *gradients) embeddings() [2]*embeddingGradient {
	return [...]*embeddingGradient{g.source, g.target}
}

// norm returns the Euclidean norm of all gradients.
func (g *gradients) norm(k kernels.Impl) float32 {
	return float32(math.Sqrt(k.SumSquares(g.dense()) + g.source.sumSquares(k) + g.target.sumSquares(k)))
}

// An embeddingGradient is the gradient of an embedding matrix. Only rows of words in the batch
// differ from 0, and only those are visited.
type embeddingGradient struct {
	gradient kernels.Matrix
	marks    []uint64  // bit id%64 of marks[id/64] is set while begin collects the rows
	rows     []int     // ids in the last batch, each once, ascending
	squares  []float64 // sums of squares of those rows
}

func newEmbeddingGradient(a *allocator, gradient kernels.Matrix) *embeddingGradient {
	n := gradient.Rows
	return &embeddingGradient{gradient: gradient, marks: a.uint64s((n + 63) / 64), rows: a.ints(n)[:0], squares: a.float64s(n)}
}

// begin clears the rows of the last batch and collects the rows of this one, from the ids that side
// returns of an example.
func (e *embeddingGradient) begin(k kernels.Impl, batch []text.Example, side func(text.Example) []int32) {
	e.clear(k)
	for _, example := range batch {
		for _, id := range side(example) {
			e.marks[id/64] |= 1 << (id % 64)
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

// clear sets the rows of the batch to 0.
func (e *embeddingGradient) clear(k kernels.Impl) { e.divide(k, (*clearTask)(e), kernels.CostMove) }

// sumSquares returns the sum of squares of the gradient: one sum per row, added up in ascending
// order, as if all rows were visited.
func (e *embeddingGradient) sumSquares(k kernels.Impl) float64 {
	e.divide(k, (*squaresTask)(e), kernels.CostMove)
	sum := 0.0
	for _, s := range e.squares[:len(e.rows)] {
		sum += s
	}
	return sum
}

// divide runs a task on the rows of the batch. cost is the work for each value.
func (e *embeddingGradient) divide(k kernels.Impl, task kernels.Task, cost int) {
	k.Parallel(task, len(e.rows), cost*len(e.rows)*e.gradient.Cols)
}

// A clearTask is a task on e.rows (see attentionCall for why it is a type).
type clearTask embeddingGradient

func (t *clearTask) Run(_ kernels.Impl, from, to int) {
	for _, row := range t.rows[from:to] {
		clear(t.gradient.Row(row))
	}
}

// A squaresTask is a task on e.rows.
type squaresTask embeddingGradient

func (t *squaresTask) Run(k kernels.Impl, from, to int) {
	for i, row := range t.rows[from:to] {
		t.squares[from+i] = k.SumSquares(t.gradient.Row(row))
	}
}

// transposed are the transposes of weights that the gradients of inputs are products with.
type transposed struct {
	forward, backward, decoder rnn.Transposed
	attention                  attention.Transposed
	ws, context, uo, vo, wo    kernels.Weights
}

// newTransposed returns zeros of the precision.
func newTransposed(a *allocator, c Config, precision Precision) *transposed {
	t := &transposed{}
	list := (*Parameters)(nil).matrices(c, t)
	bind := func(matrix func(out, in int) kernels.Weights) {
		for _, q := range list {
			*q.transposed = matrix(q.cols, q.rows)
		}
	}
	if precision == BF16 {
		bind(func(out, in int) kernels.Weights { return kernels.Weights{BF16: a.packedBF16(out, in)} })
		return t
	}
	var size arena
	bind(size.matrix)
	values := arena{values: a.floats(size.used)}
	bind(values.matrix)
	return t
}
