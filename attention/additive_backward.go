package attention

import "github.com/softsearch-go/softsearch/kernels"

// A Transposed holds the transposes of an Additive's matrices, for the gradients of states
// and annotations.
type Transposed struct {
	Wa kernels.Packed // H×A
	Ua kernels.Packed // N×A
}

// Set transposes the matrices of a.
func (t *Transposed) Set(k kernels.Impl, a *Additive) {
	k.Transpose(t.Wa, a.Wa)
	k.Transpose(t.Ua, a.Ua)
}

// WeightsBackward is the backward pass of the softmax in Weights for the gradient dc of a
// context c = Σ_j alpha_j·values_j. With dα_j = dc·values_j, it writes de = α∘(dα - α·dα), the
// gradient of the scores. That of values_j is the sum of alpha_j·dc over all queries
// (kernels.Impl.WeightedSum).
func (a *Additive) WeightsBackward(k kernels.Impl, de, alpha []float32, values kernels.Matrix, dc []float32) {
	k.RowDots(de, values, dc)
	k.SoftmaxBackward(de, alpha, de)
}

// ScoresBackward is the backward pass of the scores in Weights for their gradient de, in
// columns from to to-1 of queries and keys: it writes the gradient of the query to dquery
// and adds those of keys and Va to dkeys and to da. Queries that share da's Va are summed in
// the order of the calls, in each column.
func (a *Additive) ScoresBackward(k kernels.Impl, da *Additive, dquery []float32, dkeys kernels.Matrix, query []float32, keys kernels.Matrix, de []float32, from, to int) {
	clear(dquery[from:to])
	k.ScoresBackward(dquery[from:to], dkeys.Columns(from, to), da.Va[from:to],
		query[from:to], keys.Columns(from, to), a.Va[from:to], de)
}

// AccumulateQueries adds the gradient of Wa to a for the gradients dqueries of all queries
// and their states. scratch needs kernels.GradScratch(H).
func (a *Additive) AccumulateQueries(k kernels.Impl, dqueries, states kernels.Matrix, scratch []float32) {
	k.GemmGrad(a.Wa, dqueries, states, scratch)
}

// KeysBackward is the backward pass of Keys: it adds the gradient of Ua to da and that of
// the annotations to dannotations. scratch needs kernels.GradScratch(N).
func (t *Transposed) KeysBackward(k kernels.Impl, da *Additive, dannotations, dkeys, annotations kernels.Matrix, scratch []float32) {
	k.GemmGrad(da.Ua, dkeys, annotations, scratch)
	k.GemmAdd(dannotations, t.Ua, dkeys, kernels.Identity)
}

// QueriesBackward is the backward pass of Queries for the states: it adds their gradient to
// dstates.
func (t *Transposed) QueriesBackward(k kernels.Impl, dstates, dqueries kernels.Matrix) {
	k.GemmAdd(dstates, t.Wa, dqueries, kernels.Identity)
}
