// Package bench compares the kernels, and the model built on them, with Go code without SIMD.
//
// Its functions and types are the opponents: flat float32 slices, row-major matrices,
// math.Tanh and math.Exp, loops that the compiler can free of bounds checks. They compute
// what the kernels compute, within rounding, which the tests of this package check. Only
// functions whose names begin with New allocate, and none starts a goroutine.
//
//   - Gemv and Gemm are the plain loops of one sum, GemvUnrolled and GemmUnrolled keep four
//     sums in flight. [GRU] and [RNNsearch] use the latter.
//   - RNNsearch is the model of package model, of the kind Search and the order UpdateFirst.
//     A [Trainer] takes the sentences of a batch one after the other, a [Stepper] the
//     hypotheses of a search.
//
// The benchmarks are in its test files. Every name is a list of key=value pairs, of which
// impl is "naive", "unrolled" or the name of a kernels.Impl, so that benchstat can show one
// column for each:
//
//	go test -run '^$' -bench Gemv -count 10 ./bench > gemv.txt
//	benchstat -col /impl gemv.txt
//
// Every benchmark but BenchmarkTranslate, BenchmarkUpdates and training updates with dropout has
// impl=naive. impl=unrolled is in those of GEMV and GEMM alone, and impl=read in that of a decoder
// step.
//
// BenchmarkDecoderStep and BenchmarkTrainingUpdate have two sizes. sizes=small is [Small], a
// vocabulary of 8,000 words in each language and 256 for every other size; sizes=paper is
// [Paper], 30,000 words, embeddings of 620 values, 1,000 units, 1,000 alignment units and 500
// maxout units. A training update at sizes=paper takes minutes without SIMD, and one of portable Go
// (impl=go) at sizes=small tens of seconds. BenchmarkTrainingUpdate takes impl=go at sizes=paper
// only with -long (go test -bench . -timeout 0 ./bench -long); with -short it leaves out impl=go
// at both and impl=naive at sizes=paper.
//
// BenchmarkTranslate has sizes=captions, a vocabulary of 10,000 words and 256 for every other
// size, and sentences of 7 to 21 words with their ends, each translated into as many words as
// it has. batch is the number of sentences that each of the threads translates at once. There
// is no impl=go.
//
// BenchmarkUpdates compares the last of 5,000 updates with the first, of a model that is small but
// for its source words. There is no impl=go.
package bench
