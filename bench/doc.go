// Package bench compares the kernels with Go code without SIMD.
//
// Its functions are the opponents: flat float32 slices, row-major matrices, math.Tanh and
// math.Exp, loops that the compiler can free of bounds checks. They compute what the kernels
// compute, within rounding, which the tests of this package check. Only NewGRU allocates,
// and none starts a goroutine.
//
// The benchmarks are in its test files. Every name is a list of key=value pairs, of which
// impl is "naive" or the name of a kernels.Impl, so that benchstat can show one column
// for each:
//
//	go test -run '^$' -bench Gemv -count 10 ./bench > gemv.txt
//	benchstat -col /impl gemv.txt
package bench
