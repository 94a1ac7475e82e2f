// Package rnn holds the gated recurrent unit of Cho et al. (2014) in the form of Bahdanau,
// Cho and Bengio (2014, appendix A), over batches of sequences of different lengths, forward
// and backward:
//
//	z = σ(Wz x + Uz h + bz)
//	r = σ(Wr x + Ur h + br)
//	h̃ = tanh(W x + U (r∘h) + b)
//	h' = (1-z)∘h + z∘h̃
//
// The reset gate acts before the product with U, and z takes the new state. A sequence starts
// from the state 0, whose products are left out.
//
// A batch is laid out time-major without padding (see [Layout]), so that a step is one product
// over the sequences that are that long and no sequence sees another. Nothing here
// allocates after the workspaces are made; wrong shapes panic in package kernels.
package rnn
