package attention

import "github.com/softsearch-go/softsearch/kernels"

// A Transposed holds the transposes of a Model's matrices, for the gradients of states and
// annotations.
type Transposed struct {
	Wa kernels.Packed // H×A, where the Model has one
	Ua kernels.Packed // N×A, where the Model has one
}

// Set transposes the matrices of m.
func (t *Transposed) Set(k kernels.Impl, m *Model) {
	k.Transpose(t.Wa, m.Wa)
	k.Transpose(t.Ua, m.Ua)
}

// WeightsBackward is the backward pass of the softmax in Weights for the gradient dc of a
// context c = Σ_j alpha_j·values_j. With dα_j = dc·values_j, it writes de = α∘(dα - α·dα), the
// gradient of the scores. That of values_j is the sum of alpha_j·dc over all queries
// (kernels.Impl.WeightedSum).
func (m *Model) WeightsBackward(k kernels.Impl, de, alpha []float32, values kernels.Matrix, dc []float32) {
	k.RowDots(de, values, dc)
	k.SoftmaxBackward(de, alpha, de)
}

// ScoresBackward is the backward pass of the scores in Weights for their gradient de, in
// columns from to to-1 of queries and keys: it writes the gradient of the query to dquery
// and adds those of keys and Va to dkeys and to dm. Queries that share dm's Va are summed in
// the order of the calls, in each column.
func (m *Model) ScoresBackward(k kernels.Impl, dm *Model, dquery []float32, dkeys kernels.Matrix, query []float32, keys kernels.Matrix, de []float32, from, to int) {
	dquery, query = dquery[from:to], query[from:to]
	dkeys, keys = dkeys.Columns(from, to), keys.Columns(from, to)
	if len(m.Va) > 0 {
		clear(dquery)
		k.ScoresBackward(dquery, dkeys, dm.Va[from:to], query, keys, m.Va[from:to], de)
		return
	}
	k.WeightedSum(dquery, de, keys)
	row := kernels.View(query, 1, len(query))
	for j := range de {
		k.WeightedSumAdd(dkeys.Row(j), de[j:j+1], row)
	}
}

// AccumulateQueries adds the gradient of Wa to m for the gradients dqueries of all queries
// and their states. scratch needs kernels.GradScratch(H).
func (m *Model) AccumulateQueries(k kernels.Impl, dqueries, states kernels.Matrix, scratch []float32) {
	if m.Wa.Out > 0 {
		k.GemmGrad(m.Wa, dqueries, states, scratch)
	}
}

// KeysBackward is the backward pass of Keys: it adds the gradient of Ua to dm and that of
// the annotations to dannotations. scratch needs kernels.GradScratch(N).
func (t *Transposed) KeysBackward(k kernels.Impl, dm *Model, dannotations, dkeys, annotations kernels.Matrix, scratch []float32) {
	if t.Ua.Out > 0 {
		k.GemmGrad(dm.Ua, dkeys, annotations, scratch)
		k.GemmAdd(dannotations, t.Ua, dkeys, kernels.Identity)
		return
	}
	k.AddRows(dannotations.Columns(0, dkeys.Cols), dkeys)
	k.AddRows(dannotations.Columns(dkeys.Cols, dannotations.Cols), dkeys)
}

// QueriesBackward is the backward pass of Queries for the states: it adds their gradient to
// dstates.
func (t *Transposed) QueriesBackward(k kernels.Impl, dstates, dqueries kernels.Matrix) {
	if t.Wa.Out > 0 {
		k.GemmAdd(dstates, t.Wa, dqueries, kernels.Identity)
		return
	}
	k.AddRows(dstates, dqueries)
}
