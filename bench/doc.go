// Package bench compares the kernels, and the model built on them, with Go code without SIMD.
//
// Its functions and types are the opponents: flat float32 slices, row-major matrices, math.Tanh
// and math.Exp, and loops from which the compiler can remove bounds checks. They compute what the
// kernels compute, within rounding; the tests of this package compare the two. Only functions
// whose names begin with New allocate, and none starts a goroutine.
//
//   - Gemv and Gemm are plain loops with one sum; GemvUnrolled and GemmUnrolled keep four sums in
//     flight. [GRU] and [RNNsearch] use the latter.
//   - RNNsearch is the model of package model, of kind model.RNNsearch and order
//     model.UpdateFirst. A [Trainer] computes one sentence of a batch at a time, a [Stepper] one
//     hypothesis of a search.
//
// The benchmarks are in the test files. A name is a list of key=value pairs; impl is "naive",
// "unrolled" or the name of a kernels.Impl, so benchstat can show a column for each:
//
//	go test -run '^$' -bench Gemv -count 10 ./bench > gemv.txt
//	benchstat -col /impl gemv.txt
//
// BenchmarkWeights, BenchmarkDecoderStep and BenchmarkTranslate compare weights of int8 with those of
// float32: weights is "int8" or "float32", and impl=read only reads the weights. BenchmarkQuantize
// quantizes the input of a product.
//
// BenchmarkFactors, BenchmarkFactorsGrad and BenchmarkTrainingUpdate compare products of bfloat16 with
// those of float32: factors or precision says which. BenchmarkRound rounds the operands.
//
// Every benchmark has impl=naive except those of int8 and bfloat16, BenchmarkTranslate,
// BenchmarkUpdates and training updates with dropout. Only GEMV and GEMM have impl=unrolled, and only
// the decoder step and BenchmarkWeights have impl=read.
//
// BenchmarkDecoderStep and BenchmarkTrainingUpdate have two sizes. sizes=small is [Small], with
// vocabularies of 8,000 words and 256 for every other size; sizes=paper is [Paper], with 30,000
// words, embeddings of 620 values, 1,000 units, 1,000 alignment units and 500 maxout units.
// Without SIMD a training update takes minutes at sizes=paper, and portable Go (impl=go) takes
// tens of seconds at sizes=small. BenchmarkTrainingUpdate therefore runs impl=go at sizes=paper
// only with -long (go test -bench . -timeout 0 ./bench -long), and with -short it skips impl=go at
// both sizes and impl=naive at sizes=paper.
//
// BenchmarkTranslate has sizes=captions, a vocabulary of 10,000 words and 256 for every other
// size, and translates sentences of 7 to 21 words, EOS included, into as many words. batch is the
// number of sentences that each thread translates at a time. It has no impl=go.
//
// BenchmarkUpdates compares the last of 5,000 updates with the first, for a model that is small
// except for its source vocabulary. It has no impl=go.
package bench
