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

// AttendBackward is the backward pass of Attend for the gradient dc of the context. With
// dα_j = dc·h_j and de = α∘(dα - α·dα), it writes the gradient of the query to dquery and
// adds those of annotations, keys and a's Va to dannotations, dkeys and dva. dalpha (S) is
// scratch.
func (a *Additive) AttendBackward(k kernels.Impl, dquery []float32, dkeys, dannotations kernels.Matrix, dva, dalpha []float32,
	alpha, query []float32, keys, annotations kernels.Matrix, dc []float32) {
	k.ContextBackward(dalpha, dannotations, alpha, annotations, dc)
	k.SoftmaxBackward(dalpha, alpha, dalpha)
	clear(dquery)
	k.ScoresBackward(dquery, dkeys, dva, query, keys, a.Va, dalpha)
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
