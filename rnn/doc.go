// Package rnn implements the gated recurrent unit of Cho et al. (2014) as given by Bahdanau, Cho
// and Bengio (2014, appendix A), forward and backward, over batches of sequences of different
// lengths:
//
//	z = σ(Wz x + Uz h + bz)
//	r = σ(Wr x + Ur h + br)
//	h̃ = tanh(W x + U (r∘h) + b)
//	h' = (1-z)∘h + z∘h̃
//
// The reset gate acts before the product with U, and z weights the new state. A sequence starts
// from the state 0, whose products are skipped.
//
// Rows are time-major without padding (see [Layout]): a step is one product over all sequences
// that are long enough, and no sequence affects another. A [GRU] takes single steps; a
// [Sequence] and a [Bidirectional] run over whole batches. They allocate when they are made and
// never after. Wrong shapes panic, mostly in package kernels.
//
// From a batch to its states: [Layout.Set] numbers the positions, [Bidirectional.Forward] runs a
// [Sequence] in each direction, which projects all inputs at once ([GRU.Project]) and takes one
// [GRU.Step] for each position. Backward returns the same way: [Transposed.StepBackward] for each
// position, then [GRU.Accumulate] for all weights at once.
//
// Products of int8 or bfloat16, and gradients, need a [kernels.Impl] with a scratch: for
// max(E, H) columns of all rows in the precision of the weights, 3H in a backward pass, and
// [kernels.GradScratch] of max(E, H).
package rnn
