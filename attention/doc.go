// Package attention holds the alignment model of Bahdanau, Cho and Bengio (2014, section
// 3.1 and appendix A.1.2), forward and backward. For a query s (the decoder's previous state)
// and the annotations h_1 … h_S of one sentence:
//
//	e_j = va · tanh(Wa s + Ua h_j)
//	α   = softmax(e)
//	c   = Σ_j α_j h_j
//
// The keys Ua h_j do not depend on the query and are computed once for a sentence. So are the
// values C h_j where a matrix C acts on the context, since C c = Σ_j α_j C h_j: the context
// itself need not be computed (kernels.Impl.WeightedSumAdd). A sentence is attended to over
// its own length: there is no padding and no mask. Nothing here allocates; wrong shapes panic
// in package kernels.
package attention
