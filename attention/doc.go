// Package attention implements three alignment models, forward and backward. A query s, the
// previous state of the decoder, is scored against the annotations h_j = [→h_j; ←h_j] of one
// sentence, j from 1 to S:
//
//	e_j = va · tanh(Wa s + Ua h_j)    additive: Bahdanau, Cho and Bengio (2014, section 3.1
//	                                  and appendix A.1.2)
//	e_j = s · Wa h_j                  general: Luong, Pham and Manning (2015, equation 8)
//	e_j = s · (→h_j + ←h_j)           dot: the same equation, for states and annotations of
//	                                  equal size; here the two directions are added
//	α   = softmax(e)
//	c   = Σ_j α_j h_j
//
// The keys Ua h_j, Wa h_j or →h_j + ←h_j do not depend on the query and are computed once per
// sentence. If a matrix C acts on the context, so are the values C h_j, since
// C c = Σ_j α_j C h_j: the context itself need not be computed (kernels.Impl.WeightedSumAdd).
//
// A sentence goes through [Model.Keys] once. Then each query goes through [Model.Queries],
// [Model.Weights] and a weighted sum of package kernels. Backward: WeightsBackward and ScoresBackward for
// each query, then QueriesBackward, AccumulateQueries and KeysBackward.
//
// Each sentence is attended to at its own length, without padding or masks. Nothing in this
// package allocates; wrong shapes panic.
package attention
