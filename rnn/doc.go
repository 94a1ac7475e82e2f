// Package rnn runs recurrent layers over batches of sequences of different lengths: LSTM and GRU as PyTorch has
// them, forward only, for programs that use networks trained elsewhere (package model/torch reads their weights by
// name), and the GRU of Bahdanau, Cho and Bengio (2014, appendix A), forward and backward, for RNNsearch:
//
//	z = σ(Wz x + Uz h + bz)
//	r = σ(Wr x + Ur h + br)
//	h̃ = tanh(W x + U (r∘h) + b)
//	h' = (1-z)∘h + z∘h̃
//
// There the reset gate acts before the product with U, and z weights the new state: a [GRU]. In PyTorch's it acts
// after the product, and z weights the old state: a [GRUResetAfter]. An [LSTM] has a second state. Each is a [Cell],
// which takes single steps. A sequence starts from the state 0, whose products are skipped.
//
// Rows are time-major without padding (see [Layout]): a step is one product over all sequences that are long enough,
// and no sequence affects another. A batch of sequences of one length is time×sequence×column, as PyTorch has it
// unless batch_first is set. A [Stack] runs layers of cells, in one direction or two, over whole batches:
//
//	s := rnn.NewStack(layers, sequences, rows)        // layers from torch.StateDict, say
//	layout := rnn.NewLayout(longest)
//	layout.Set(lengths)                               // descending
//	s.Forward(k, &layout, h, x)                       // x and h have layout.Rows() rows
//
// A [Sequence] runs a GRU that can be trained. Two of them, one reversed, whose states are columns of one matrix, make
// the encoder of the paper. [Sequence.Forward] projects all inputs at once ([GRU.Project]) and takes one [GRU.Step] for
// each position. Backward returns the same way: [Transposed.StepBackward] for each position, then [GRU.Accumulate] for
// all weights at once.
//
// All allocate when they are made and never after. Wrong shapes panic, mostly in package kernels. Products of int8 or
// bfloat16, and gradients, need a [kernels.Impl] with a scratch: for all rows of the widest input or state in the
// precision of the weights, 3H columns in a backward pass, and [kernels.GradScratch] of max(E, H).
package rnn
