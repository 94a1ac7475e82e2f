package attention

import "github.com/softsearch-go/softsearch/kernels"

// An Additive holds the weights of the additive alignment model with A units, for states of
// H and annotations of N values, or the gradients of all of them.
type Additive struct {
	Wa kernels.Packed // A×H
	Ua kernels.Packed // A×N
	Va []float32      // A
}

// Keys computes keys = annotations·Uaᵀ. annotations is positions×N, keys positions×A.
func (a *Additive) Keys(k kernels.Impl, keys, annotations kernels.Matrix) {
	k.Gemm(keys, a.Ua, annotations, nil, kernels.Identity)
}

// Queries computes queries = states·Waᵀ. states is rows×H, queries rows×A.
func (a *Additive) Queries(k kernels.Impl, queries, states kernels.Matrix) {
	k.Gemm(queries, a.Wa, states, nil, kernels.Identity)
}

// Weights computes the weights alpha (S) of one query (A) over the keys (S×A) of its
// sentence: alpha_j = softmax_j(va·tanh(query + keys_j)).
func (a *Additive) Weights(k kernels.Impl, alpha, query []float32, keys kernels.Matrix) {
	k.Scores(alpha, query, keys, a.Va)
	k.Softmax(alpha, alpha)
}
