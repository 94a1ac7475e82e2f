package attention

import "github.com/softsearch-go/softsearch/kernels"

// A Model holds the weights of an alignment model with A units, for states of size H and
// annotations of size N, or their gradients, which are of float32. Which of them it has makes it
// one of three:
//
//	additive  Wa, Ua and Va
//	general   Ua, which is Wa in the equation; A = H
//	dot       none; A = H, N = 2H
type Model struct {
	Wa kernels.Weights // A×H: queries are products with Wa, or else the states themselves
	Ua kernels.Weights // A×N: keys are products with Ua, or else sums of the two halves of annotations
	Va []float32       // A: scores are va·tanh(query + key), or else query·key

	// Biases of A values, as nn.Linear of PyTorch has them, or nil. The backward pass leaves them alone. One of the
	// scores has no field: it does not change their softmax.
	WaBias, UaBias []float32
}

// A Transposed holds the transposes of a Model's matrices, which the gradients of states and
// annotations are products with.
type Transposed struct {
	Wa kernels.Weights // H×A, if the Model has Wa
	Ua kernels.Weights // N×A, if the Model has Ua
}

// Keys computes keys = annotations·Uaᵀ + UaBias, or without Ua the sum of the two halves of each
// annotation. annotations is positions×N, keys is positions×A.
func (m *Model) Keys(k kernels.Impl, keys, annotations kernels.Matrix) {
	if m.Ua.Out() > 0 {
		k.Linear(keys, m.Ua, annotations, m.UaBias, kernels.Identity)
		return
	}
	copyRows(keys, annotations.Columns(0, keys.Cols))
	k.AddRows(keys, annotations.Columns(keys.Cols, annotations.Cols))
}

// KeysBackward is the backward pass of Keys, given dkeys: it adds the gradient of Ua to dm and
// the gradient of the annotations to dannotations.
//
//	dannotations += dkeys·Ua     dUa += dkeysᵀ·annotations
func (t *Transposed) KeysBackward(k kernels.Impl, dm *Model, dannotations, dkeys, annotations kernels.Matrix) {
	if t.Ua.Out() > 0 {
		if dm == nil {
			panic(badGradients)
		}
		k.LinearGrad(dm.Ua.Float32, dkeys, annotations)
		k.LinearAdd(dannotations, t.Ua, dkeys, kernels.Identity)
		return
	}
	k.AddRows(dannotations.Columns(0, dkeys.Cols), dkeys)
	k.AddRows(dannotations.Columns(dkeys.Cols, dannotations.Cols), dkeys)
}

// Queries computes queries = states·Waᵀ + WaBias, or without Wa copies the states. states is rows×H,
// queries is rows×A.
func (m *Model) Queries(k kernels.Impl, queries, states kernels.Matrix) {
	if m.Wa.Out() > 0 {
		k.Linear(queries, m.Wa, states, m.WaBias, kernels.Identity)
		return
	}
	copyRows(queries, states)
}

// QueriesBackward is the backward pass of Queries for the states, given dqueries: it adds their
// gradient to dstates.
//
//	dstates += dqueries·Wa
func (t *Transposed) QueriesBackward(k kernels.Impl, dstates, dqueries kernels.Matrix) {
	if t.Wa.Out() > 0 {
		k.LinearAdd(dstates, t.Wa, dqueries, kernels.Identity)
		return
	}
	k.AddRows(dstates, dqueries)
}

// AccumulateQueries is the backward pass of Queries for Wa, given the rows of all queries at
// once: it adds the gradient of Wa to m.
//
//	dWa += dqueriesᵀ·states
func (m *Model) AccumulateQueries(k kernels.Impl, dqueries, states kernels.Matrix) {
	if m.Wa.Out() > 0 {
		k.LinearGrad(m.Wa.Float32, dqueries, states)
	}
}

// Weights computes the weights alpha (S) of one query (A) over the keys (S×A) of its sentence:
// alpha_j = softmax_j(e_j), where e_j = va·tanh(query + keys_j), or query·keys_j without Va.
func (m *Model) Weights(k kernels.Impl, alpha, query []float32, keys kernels.Matrix) {
	if len(m.Va) > 0 {
		k.Scores(alpha, query, keys, m.Va)
	} else {
		k.RowDots(alpha, keys, query)
	}
	k.Softmax(alpha, alpha)
}

// WeightsBackward is the backward pass of the softmax in Weights, given the gradient dc of a
// context c = Σ_j alpha_j·values_j: it writes the gradient of the scores to de.
//
//	dα_j = dc·values_j     de = α∘(dα - α·dα)
//
// The gradient of values_j is the sum of alpha_j·dc over all queries (kernels.Impl.WeightedSum).
func (m *Model) WeightsBackward(k kernels.Impl, de, alpha []float32, values kernels.Matrix, dc []float32) {
	k.RowDots(de, values, dc)
	k.SoftmaxBackward(de, alpha, de)
}

// ScoresBackward is the backward pass of the scores in Weights, given their gradient de, in
// columns from to to-1 of queries and keys. It writes the gradient of the query to dquery and
// adds the gradients of the keys and Va to dkeys and dm. The queries of several calls add up in the order
// of the calls, in each column.
func (m *Model) ScoresBackward(k kernels.Impl, dm *Model, dquery []float32, dkeys kernels.Matrix, query []float32, keys kernels.Matrix, de []float32, from, to int) {
	dkeys, keys = dkeys.Columns(from, to), keys.Columns(from, to)
	dquery, query = columns(dquery, from, to), columns(query, from, to)
	if len(m.Va) > 0 {
		if dm == nil {
			panic(badGradients)
		}
		clear(dquery)
		k.ScoresBackward(dquery, dkeys, columns(dm.Va, from, to), query, keys, columns(m.Va, from, to), de)
		return
	}
	k.WeightedSum(dquery, de, keys)
	row := kernels.View(query, 1, len(query))
	for j := range de {
		k.WeightedSumAdd(dkeys.Row(j), de[j:j+1], row)
	}
}

const badGradients = "attention: nil gradients"

// columns returns elements from to to-1, for 0 ≤ from ≤ to.
func columns(x []float32, from, to int) []float32 {
	if to > len(x) {
		panic("attention: ScoresBackward: columns out of range of queries or Va")
	}
	return x[from:to]
}

func copyRows(dst, src kernels.Matrix) {
	if dst.Rows != src.Rows || dst.Cols != src.Cols {
		panic("attention: queries or keys and what they are computed from differ in shape")
	}
	for i := 0; src.Cols > 0 && i < src.Rows; i++ {
		copy(dst.Row(i), src.Row(i))
	}
}
