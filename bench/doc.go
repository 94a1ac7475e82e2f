// Package bench compares the kernels, and the model built on them, with Go code without SIMD.
//
// Its functions and types are the opponents: flat float32 slices, row-major matrices, math.Tanh
// and math.Exp, and loops from which the compiler can remove bounds checks. They compute what the
// kernels compute, within rounding; the tests of this package compare the two. Only functions
// whose names begin with New, Trainer.Update and Stepper.Begin allocate, and none starts a goroutine.
//
// A path through it: [Gemv] and [Gemm] are plain loops with one sum, [GemmUnrolled] keeps four in flight.
// [GRU] is built of the latter, and [RNNsearch] of GRUs: the model of package model, of kind
// model.RNNsearch and order model.UpdateFirst. A [Trainer] runs its encoder and decoder forward and
// backward, one sentence of a batch at a time; a [Stepper] extends one hypothesis of a search.
//
// The benchmarks are in the test files. A name is a list of key=value pairs; impl is "naive",
// "unrolled" or the name of a kernels.Impl, so benchstat can show a column for each:
//
//	go test -run '^$' -bench Gemv -count 10 ./bench > gemv.txt
//	benchstat -col /impl gemv.txt
//
// impl=read-avx512 and read-avx2 read the operands of Gemv, RowDots and Dot with vectors of that width and compute
// nothing: the bound, from whichever cache they lie in. Those of int8 compare it with float32 by the key weights, those
// of bfloat16 by the keys factors or precision. sizes=small is [Small], sizes=paper [Paper], and
// sizes=captions a vocabulary of 10,000 words and 256 for every other size.
//
// Some contenders are missing where they take minutes: plain and portable Go (impl=naive and impl=go) in
// training updates of sizes=paper, unless -long is given (go test -bench . -timeout 0 ./bench -long), and
// portable Go in BenchmarkTranslate. The largest sizes need SOFTSEARCH_TEST=full.
package bench
