package attention

import "github.com/softsearch-go/softsearch/kernels"

// A Model holds the weights of an alignment model with A units, for states of H and annotations
// of N values, or the gradients of all of them. The parts that it has make it one of three:
//
//	additive  Wa, Ua and Va
//	general   Ua, which is Wa in the equation; A = H
//	dot       none; A = H, N = 2H
type Model struct {
	Wa kernels.Packed // A×H, of queries: without it they are the states
	Ua kernels.Packed // A×N, of keys: without it they are the sums of both halves of the annotations
	Va []float32      // A, of scores: without it they are the products of query and keys
}

// Keys computes keys = annotations·Uaᵀ, or adds the halves of each annotation. annotations is
// positions×N, keys positions×A.
func (m *Model) Keys(k kernels.Impl, keys, annotations kernels.Matrix) {
	if m.Ua.Out > 0 {
		k.Gemm(keys, m.Ua, annotations, nil, kernels.Identity)
		return
	}
	copyRows(keys, annotations.Columns(0, keys.Cols))
	k.AddRows(keys, annotations.Columns(keys.Cols, annotations.Cols))
}

// Queries computes queries = states·Waᵀ, or copies the states. states is rows×H, queries
// rows×A.
func (m *Model) Queries(k kernels.Impl, queries, states kernels.Matrix) {
	if m.Wa.Out > 0 {
		k.Gemm(queries, m.Wa, states, nil, kernels.Identity)
		return
	}
	copyRows(queries, states)
}

const badCopy = "attention: query or key and what it is made of differ in shape"

func copyRows(dst, src kernels.Matrix) {
	if dst.Rows != src.Rows || dst.Cols != src.Cols {
		panic(badCopy)
	}
	for i := range src.Rows {
		copy(dst.Row(i), src.Row(i))
	}
}

// Weights computes the weights alpha (S) of one query (A) over the keys (S×A) of its
// sentence: alpha_j = softmax_j(e_j), where e_j = va·tanh(query + keys_j) or query·keys_j.
func (m *Model) Weights(k kernels.Impl, alpha, query []float32, keys kernels.Matrix) {
	if len(m.Va) > 0 {
		k.Scores(alpha, query, keys, m.Va)
	} else {
		k.RowDots(alpha, keys, query)
	}
	k.Softmax(alpha, alpha)
}
