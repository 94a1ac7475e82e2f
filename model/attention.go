package model

import (
	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// An attentionLayer adds to each row of the decoder's pre-activations the values of its
// sentence's positions, weighted by how well their keys match the state s_{i-1}:
//
//	α_i    = softmax_j(score(s_{i-1}, key_j))       1 for RNNencdec
//	sums_i = sums_i + Σ_j α_ij value_j
//
// No context c_i is computed: value_j is [Cz; Cr; C; Co] h_j, and Σ_j α_ij (C h_j) = C c_i.
type attentionLayer struct {
	config       Config
	maxPositions int
	queries      []float32 // rows×A
	alpha        []float32 // rows×maxPositions
	*attentionGradients

	call attentionCall
}

// attentionGradients are the buffers of the backward pass.
type attentionGradients struct {
	dqueries []float32 // rows×A
	dscores  []float32 // sentences×maxPositions, of one step
	dsums    []float32 // rows×(3H+2L), sentence-major
	column   []float32 // rows: α of one position in all rows of a sentence
	guidance guidance
}

func newAttentionLayer(a *allocator, c Config, capacity Capacity, training bool) attentionLayer {
	rows, units := product(capacity.Sentences, capacity.TargetLength), 0
	if c.Kind == RNNsearch {
		units = c.Alignment
	}
	l := attentionLayer{
		config: c, maxPositions: c.positions(capacity.SourceLength),
		queries: a.floats(rows, units), alpha: c.newAlpha(a, rows, capacity.SourceLength),
	}
	if training {
		l.attentionGradients = &attentionGradients{
			dqueries: a.floats(rows, units), dscores: a.floats(capacity.Sentences, l.maxPositions),
			dsums: a.floats(rows, c.sums()), column: a.floats(rows),
		}
	}
	return l
}

// newAlpha returns room for α of that many rows over sources of up to length words. For
// RNNencdec every weight is 1 from the start.
func (c Config) newAlpha(a *allocator, rows, length int) []float32 {
	alpha := a.floats(rows, c.positions(length))
	if c.Kind == RNNencdec {
		for i := range alpha {
			alpha[i] = 1
		}
	}
	return alpha
}

// forward attends from the states before step t of the layout, and adds to the sums of its rows.
func (l *attentionLayer) forward(k kernels.Impl, model *attention.Model, m *memory, layout *batchLayout, t int, states, sums kernels.Matrix) {
	l.call = l.newCall(model, m, layout, t, sums)
	if l.config.Kind == RNNsearch {
		model.Queries(k, l.call.queries, states)
	}
	k.Parallel((*attendTask)(&l.call), sums.Rows, l.call.size())
}

// backward computes the gradients of queries and keys from dsums, of the sums of step t, and adds
// the gradient of the states to dstates. RNNencdec has neither queries nor keys.
func (l *attentionLayer) backward(k kernels.Impl, model *attention.Model, g *gradients, m *memory, layout *batchLayout, t int, dstates, dsums kernels.Matrix) {
	if l.config.Kind == RNNencdec {
		return
	}
	c := &l.call
	*c = l.newCall(model, m, layout, t, dsums)
	c.gradients, c.dqueries = &g.Attention, c.rows(l.dqueries)
	k.Parallel((*weightsBackwardTask)(c), dsums.Rows, c.size())
	k.Parallel((*scoresBackwardTask)(c), (l.config.Alignment+scoresPanel-1)/scoresPanel, c.size())
	g.transposed.attention.QueriesBackward(k, dstates, c.dqueries)
}

// accumulate computes the gradient of the values from dsums, of all sums, time-major, and adds
// the gradient of the queries' weights to g. The states have attended, in all rows.
func (l *attentionLayer) accumulate(k kernels.Impl, g *gradients, m *memory, layout *batchLayout, dsums, states kernels.Matrix) {
	k.GatherRows(kernels.View(l.dsums, dsums.Rows, dsums.Cols), dsums, layout.timeMajor)
	l.call = attentionCall{layer: l, memory: m, layout: layout}
	products := 0
	for i, length := range layout.length {
		products += length * m.positions(i)
	}
	k.Parallel((*valuesBackwardTask)(&l.call), len(layout.length), products*dsums.Cols)
	if l.config.Kind == RNNsearch {
		g.Attention.AccumulateQueries(k, kernels.View(l.dqueries, states.Rows, l.config.Alignment), states)
	}
}

// alphaOf returns α of a row over that many positions.
func (l *attentionLayer) alphaOf(row, positions int) []float32 {
	return l.alpha[row*l.maxPositions:][:positions]
}

// An attentionCall holds the operands of one call, for the tasks below. Each task is a type of
// its own with a method Run, converted from a pointer to the operands: kernels.Impl.Parallel takes
// an interface, and a pointer converts to one without an allocation, where a closure would need one.
type attentionCall struct {
	layer             *attentionLayer
	memory            *memory
	layout            *batchLayout
	step, row         int            // the step and its first row
	sums              kernels.Matrix // of the step, or their gradients
	queries, dqueries kernels.Matrix // of the step
	model, gradients  *attention.Model
}

func (l *attentionLayer) newCall(model *attention.Model, m *memory, layout *batchLayout, t int, sums kernels.Matrix) attentionCall {
	c := attentionCall{layer: l, memory: m, layout: layout, step: t, row: layout.Row(t), sums: sums, model: model}
	if l.config.Kind == RNNsearch {
		c.queries = c.rows(l.queries)
	}
	return c
}

// rows returns the rows of the step in a buffer of queries.
func (c *attentionCall) rows(data []float32) kernels.Matrix {
	units := c.layer.config.Alignment
	return kernels.View(data[c.row*units:], c.sums.Rows, units)
}

// size estimates the work of one pass over all keys and values, for kernels.Impl.Parallel.
func (c *attentionCall) size() int {
	unit, positions := kernels.CostMove, 0
	if c.layer.config.AlignmentModel == Additive {
		unit = kernels.CostFunction // tanh
	}
	for i := range c.sums.Rows {
		positions += c.memory.positions(c.layout.order[i])
	}
	return positions * (unit*c.layer.config.Alignment + kernels.CostMove*c.sums.Cols)
}

// sentence returns the sentence of row i of the step, and α of the row.
func (c *attentionCall) sentence(i int) (sentence int, alpha []float32) {
	sentence = c.layout.order[i]
	return sentence, c.layer.alphaOf(c.row+i, c.memory.positions(sentence))
}

func (c *attentionCall) keys(data []float32, sentence int) kernels.Matrix {
	return c.memory.sentence(data, c.layer.config.Alignment, sentence)
}

func (c *attentionCall) values(data []float32, sentence int) kernels.Matrix {
	return c.memory.sentence(data, c.layer.config.sums(), sentence)
}

// dscores returns the gradient of the scores of row i of the step.
func (c *attentionCall) dscores(i, positions int) []float32 {
	return c.layer.dscores[i*c.layer.maxPositions:][:positions]
}

// An attendTask computes α of rows and adds the weighted values to their sums.
type attendTask attentionCall

func (t *attendTask) Run(k kernels.Impl, from, to int) {
	c := (*attentionCall)(t)
	for i := from; i < to; i++ {
		sentence, alpha := c.sentence(i)
		if c.layer.config.Kind == RNNsearch {
			c.model.Weights(k, alpha, c.queries.Row(i), c.keys(c.memory.keys, sentence))
		}
		k.WeightedSumAdd(c.sums.Row(i), alpha, c.values(c.memory.values, sentence))
	}
}

// A weightsBackwardTask computes the gradients of scores from the gradients of the sums of rows.
type weightsBackwardTask attentionCall

func (t *weightsBackwardTask) Run(k kernels.Impl, from, to int) {
	c := (*attentionCall)(t)
	for i := from; i < to; i++ {
		sentence, alpha := c.sentence(i)
		dscores := c.dscores(i, len(alpha))
		c.model.WeightsBackward(k, dscores, alpha, c.values(c.memory.values, sentence), c.sums.Row(i))
		c.layer.guidance.backward(dscores, alpha, sentence, c.step)
	}
}

// A scoresBackwardTask computes the gradients of queries, keys and va from the gradients of scores. Its
// items are panels of alignment units rather than rows, since the gradients of keys and va are
// sums over rows, in their order.
type scoresBackwardTask attentionCall

// scoresPanel is the number of alignment units in an item: a cache line.
const scoresPanel = 16

func (t *scoresBackwardTask) Run(k kernels.Impl, from, to int) {
	c := (*attentionCall)(t)
	from, to = from*scoresPanel, min(to*scoresPanel, c.queries.Cols)
	for i := range c.queries.Rows {
		sentence, alpha := c.sentence(i)
		c.model.ScoresBackward(k, c.gradients, c.dqueries.Row(i), c.keys(c.memory.dkeys, sentence),
			c.queries.Row(i), c.keys(c.memory.keys, sentence), c.dscores(i, len(alpha)), from, to)
	}
}

// A valuesBackwardTask computes the gradients of the values of sentences: dvalue_j = Σ_i α_ij dsums_i.
type valuesBackwardTask attentionCall

func (t *valuesBackwardTask) Run(k kernels.Impl, from, to int) {
	c := (*attentionCall)(t)
	l, cols := c.layer, c.layer.config.sums()
	for sentence := from; sentence < to; sentence++ {
		start, n := c.layout.start[sentence], c.layout.length[sentence]
		dsums, dvalues := kernels.View(l.dsums[start*cols:], n, cols), c.values(c.memory.dvalues, sentence)
		column := l.column[start : start+n]
		for j := range dvalues.Rows {
			for i, row := range c.layout.timeMajor[start : start+n] {
				column[i] = l.alpha[int(row)*l.maxPositions+j]
			}
			k.WeightedSum(dvalues.Row(j), column, dsums)
		}
	}
}

// guidance applies Hyperparameters.GuidedAlignment to a batch.
type guidance struct {
	weight float32        // λ
	batch  []text.Example // with the links
}

// backward adds the gradient of λ·-log(Σ_{j∈A} α_j / |A|), for the links A of target word i of a sentence, to
// the gradient of the scores whose softmax is α:
//
//	λ (α_j - q_j)     q_j = α_j / Σ_{k∈A} α_k for j in A, otherwise 0
//
// Where all of these α are 0, q_j is 1 / |A|.
func (g *guidance) backward(dscores, alpha []float32, sentence, i int) {
	if g.weight == 0 {
		return
	}
	links := linksOf(g.batch[sentence].Links, int32(i))
	if len(links) == 0 {
		return
	}
	sum := float32(0)
	for k := 1; k < len(links); k += 2 {
		sum += alpha[links[k]]
	}
	for j, a := range alpha {
		dscores[j] += float32(g.weight * a)
	}
	for k := 1; k < len(links); k += 2 {
		share := 2 / float32(len(links))
		if sum > 0 {
			share = alpha[links[k]] / sum
		}
		dscores[links[k]] -= float32(g.weight * share)
	}
}

// linksOf returns the links of target word i.
func linksOf(links []int32, i int32) []int32 {
	from := 0
	for from < len(links) && links[from] < i {
		from += 2
	}
	to := from
	for to < len(links) && links[to] == i {
		to += 2
	}
	return links[from:to]
}
