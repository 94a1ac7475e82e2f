// Package kernels holds the numeric kernels of neural sequence models in float32: matrix
// products with packed weights, exp, tanh and sigmoid, softmax and cross-entropy, additive
// attention, the gates of a GRU, maxout and Adadelta, forward and backward.
//
// # Implementations
//
// Every kernel is a method of [Impl]. [Best] is the fastest implementation on this machine:
// assembly for amd64 that gen/avx generates, with AVX-512 or with AVX2 and FMA3, or portable
// Go. Assembly is there because the Go compiler emits no vector instructions; the gain is in
// the README's tables. The build tags purego and noasm leave portable Go alone.
//
// # The same bits everywhere
//
// A result does not depend on the implementation, on the number of threads or of rows that
// are computed together, on the position of a value in its slice or on the slice's length:
//
//   - Arithmetic is IEEE 754 binary32, rounded to nearest even, denormals kept: + - × ÷ √ and
//     the fused multiply-add.
//   - Products are one chain of fused multiply-adds per output, k ascending.
//   - Elementwise functions are one fixed expression of their argument.
//   - Reductions keep 16 partial results: element i in number i mod 16 in ascending order,
//     zeros fill up the last 16, then l and l+8, l and l+4, l and l+2, l and l+1 are added.
//     They do so over blocks of 4096 elements, which are added in float64 in ascending order.
//
// The sign and payload of a NaN are not part of this.
//
// # Shapes, aliasing, concurrency
//
// A kernel panics with a constant string if shapes do not agree. Lengths of 0 are legal.
// Operands of different names must not overlap unless the kernel says so. Kernels keep no
// state, do not allocate and may run concurrently on different results.
//
// [Impl.With] gives products, transposes and updates to a [Team] of goroutines, which belongs
// to one caller at a time. The bits stay the same, since threads divide outputs and never a sum.
package kernels
