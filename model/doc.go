// Package model is RNNsearch, the attentional translation model of Bahdanau, Cho and Bengio
// (2014), and RNNencdec, the baseline of the same paper: the parameters, the loss and its
// gradient, training, and files. Package decode translates with them.
//
// # Use
//
// [New] returns a [Model] with random weights, [Open] reads one from a file, and [Save] writes it.
// A [Trainer] updates the weights of a model on batches of [text.Example] according to a
// [Hyperparameters]: Adadelta or Adam, dropout, label smoothing, averaged weights. Its checkpoints resume
// a training with the same bits. A [Scorer] computes the loss of a batch, the log-probabilities
// of given translations, and their alignments. A [Stepper] predicts one word at a time, for
// search.
//
// A Trainer, a Scorer and a Stepper have room for batches up to a [Capacity]; [CapacityOf] returns
// the one that a corpus needs. They allocate when they are made and never after; [TrainerBytes]
// and [ScorerBytes] return how much. Each belongs to one goroutine at a time. Any number of
// goroutines may share a Model that is not being trained.
//
// # From a batch to an update
//
// [Trainer.Update] checks a batch, of which shards.gradient takes one shard at a time through the
// network: encoder.forward computes the memory of the sources, decoder.forward attends to it with the
// attentionLayer, output.backward computes the loss, and the backward passes of decoder and encoder add to
// the gradients. The shards add up, over all ranks, until each has the gradient of the batch. Update scales it down to a norm of 1 if it is larger,
// an optimizer (adadelta or adam) takes the step, the movingAverage follows, and Trainer.prepare transposes
// the new weights for the next batch. Parameters.each lists what all of them range over.
//
// # Equations
//
// The letters are the paper's. Sizes: B sentences, S source and T target positions, E values of
// an embedding, H units of a GRU, A units of the alignment model, L maxout units, V words in the
// target vocabulary. [Parameters] gives the shape of every weight.
//
//	h_j    = [→h_j; ←h_j]                       two GRUs over the source embeddings
//	s_0    = tanh(Ws ←h_1 + bs)
//	c_i    = Σ_j α_ij h_j                       package attention, queried with s_{i-1}
//	s_i    = GRU(s_{i-1}, y, c_i)               c_i enters gates and candidate through C
//	t_i    = Uo s + Vo y_{i-1} + Co c_i + bo    which s and y depends on the Order
//	p(y_i) = softmax(Wo maxout(t_i) + b)        maxout over adjacent pairs
//
// No c_i is computed: C h_j and Co h_j are, once per sentence, and α weights those. The embedding
// before the first word is zero. The end of a sentence is a word like any other: it is encoded,
// attended to and predicted.
//
// A sentence's result has the same bits alone and in any batch, on every implementation of
// package kernels, and with any number of threads.
//
// # Weights of int8
//
// [Model.Quantize] returns a copy of a trained model whose matrices and embeddings hold 8-bit integers,
// a scale for each row. It takes a quarter of the memory and file, and a step of the decoder, which is
// bound by reading weights, a fraction of the time: see the benchmarks of package bench. A product
// rounds its inputs to 8 bits, too, sums integers, and has the same bits everywhere like all others;
// everything between products is float32. What that costs in log-probability or BLEU differs between
// models: compare with a Scorer, or with the command rnnsearch quantize. Such a model serves wherever a
// Model does, but for training.
//
// # File format
//
// A model file, which other programs can write and read, is in the safetensors format, with the checksum
// that package safetensors describes: SHA-256 of the file with zeros in place of these digits. It is
// required, so that no altered model translates. The scripts in the folder python beside this package
// write and read model files with numpy, and train a model with PyTorch. Metadata, all of it text:
//
//	format             required: softsearch 1
//	config             required: JSON of Config
//	source_vocabulary  JSON list of words. Commands need both, the library can do without.
//	target_vocabulary  The first two are </s> and <unk>; no word is empty or has ASCII white space.
//	source_text        JSON of a pipeline.Pipeline, how text becomes words. Without it, text is words
//	target_text        between white space.
//	longest_source     decimal: most words of a source in training, beyond which commands warn
//	search             JSON of a Search. Without it, nothing is known of how to search the model
//	sha256             required: the checksum
//
// The tensors, in any order, are F32, finite and row-major; a matrix has a row for each output. A model
// has all of them and no others. VS and V are the vocabularies, and C is 2H, or H for kind encdec:
//
//	source.embedding, target.embedding                 VS×E, V×E
//	encoder.forward.{W,Wz,Wr}, .{U,Uz,Ur}, .{b,bz,br}  H×E, H×H, H
//	encoder.backward                                   likewise; kind search only
//	decoder.{W,Wz,Wr}, .{U,Uz,Ur}, .{b,bz,br}          H×E, H×H, H
//	decoder.{C,Cz,Cr}, .Ws, .bs                        H×C, H×H, H
//	attention.Wa, .Ua, .va                             A×H, A×C, A; kind search, additive score only
//	attention.Wa                                       H×C; score general only
//	readout.Uo, .Vo, .Co, .bo                          2L×H, 2L×E, 2L×C, 2L; rows 2i and 2i+1 are maxout unit i
//	output.Wo, output.b                                V×L, V
//
// z takes the new state, and r is applied before U: h' = (1-z)∘h + z∘tanh(W x + U(r∘h) + C c + b). That
// is not torch.nn.GRU. Order update-first predicts y_i from s_i, and predict-first from s_{i-1}. With
// weights of int8, matrices and embeddings are I8, and NAME.scale of F32 has a factor for each row.
//
// # Several machines
//
// Hyperparameters.Shards divides each batch into shards whose gradients are added along a binary tree. After
// [Trainer.Join], the trainers of up to as many processes share the shards, over a transport such as MPI:
// see package collective. The weights have the same bits for any number of processes, and a training begun
// on 4 can resume on 2.
//
// # Errors
//
// Data from outside, such as sentences and files, never causes a panic. Its errors, for
// errors.Is:
//
//	ErrConfig      a setting out of its range, a model that does not pass its Check, or a capacity
//	               beyond what this machine can address
//	ErrExample     a sentence is empty or has an id that is not in the vocabulary, a batch has no
//	               sentences, or links do not ascend or lead out of their pair; of a Stepper, no
//	               source; in package decode also EOS
//	               missing at the end or before it, and requests that it cannot meet
//	ErrCapacity    too many sentences, or one that is too long
//	ErrNotFinite   a gradient, or in package decode a score, is infinite or NaN
//	ErrFile        not a model file; see also the errors of package safetensors
//	ErrCheckpoint  not a checkpoint of this training; see also those errors
package model
