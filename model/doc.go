// Package model is RNNsearch of Bahdanau, Cho and Bengio (2014) and the RNNencdec baseline
// of the same paper: parameters, loss and gradient, Adadelta and Adam, dropout, label smoothing and
// averaged weights, beam search, checkpoints and model files.
//
// The letters of the paper and of this package: B sentences, S source and T target positions,
// E values of an embedding, H units of a GRU, A units of the alignment model, L maxout units,
// V words. Every weight is described where [Parameters] declares it.
//
//	h_j = [→h_j; ←h_j]                        two GRUs over the source embeddings
//	s_0 = tanh(Ws ←h_1 + bs)
//	c_i = Σ_j α_ij h_j                         package attention, with s_{i-1}, by the [AlignmentModel]
//	s_i = GRU(s_{i-1}, y, c_i)                 c_i enters gates and candidate through C
//	t_i = Uo s + Vo y_{i-1} + Co c_i + bo      s and y by the [Order]
//	p(y_i) = softmax(Wo maxout(t_i) + b)       maxout over adjacent pairs
//
// No c_i is computed: C h_j and Co h_j are, once for a sentence, and α weighs them.
//
// The embedding before the first word is zero. The end of a sentence is a word like any
// other: it is encoded, attended to and predicted.
//
// A [Model] may be shared by goroutines as long as nobody trains it. A [Trainer], a
// [Scorer], a [Stepper], a [Beam] and a [Pool] belong to one goroutine each; they
// allocate when they are made and never after, except that a Pool grows with the longest list
// and that a stream allocates as a loop over a function does.
// A Pool runs goroutines of its own during a call. A sentence's result has the same bits alone
// and in any batch.
//
// Data from outside (sentences, files) never panics. Its errors, for errors.Is:
//
//	ErrConfig         settings that no model, search or workspace can have, models that do not fit together
//	ErrExample        a sentence that is empty or has an id that is not in the vocabulary
//	ErrCapacity       more or longer sentences than there is room for
//	ErrNotFinite      a gradient or scores with an infinity or a NaN
//	ErrFile           a file that is no model, beside the errors of package safetensors
//	ErrCheckpoint     a file that is no checkpoint of the training, beside them
//	context.Canceled  and DeadlineExceeded: the context ended before the translation
package model
