// Package attention holds three alignment models, forward and backward. For a query s (the
// decoder's previous state) and the annotations h_j = [→h_j; ←h_j] of one sentence, j from 1
// to S:
//
//	e_j = va · tanh(Wa s + Ua h_j)    additive: Bahdanau, Cho and Bengio (2014, section 3.1
//	                                  and appendix A.1.2)
//	e_j = s · Wa h_j                  general: Luong, Pham and Manning (2015, equation 8)
//	e_j = s · (→h_j + ←h_j)           dot: the same equation, where states and annotations
//	                                  have the same size; here the directions are added
//	α   = softmax(e)
//	c   = Σ_j α_j h_j
//
// The keys, which are Ua h_j, Wa h_j or →h_j + ←h_j, do not depend on the query and are computed
// once for a sentence. So are the values C h_j where a matrix C acts on the context, since
// C c = Σ_j α_j C h_j: the context itself need not be computed (kernels.Impl.WeightedSumAdd). A
// sentence is attended to over its own length: there is no padding and no mask. Nothing here
// allocates; wrong shapes panic.
package attention
