// Package kernels holds kernels for float32 in assembly, without cgo: matrix products, vector
// operations, tanh and its kin, softmax, attention, the gates of GRU and LSTM, and optimizer steps. A
// result has the same bits on every machine. It is for programs that compute neural networks or search
// vectors on the processor and build with the Go compiler alone; package rnn has whole recurrent layers.
//
// # The path through it
//
// [Best] returns the fastest implementation on this machine, an [Impl], whose methods are the
// kernels. Products read weights in a layout of their own: pack a matrix once and multiply by it
// often:
//
//	k := kernels.Best()
//	w := k.Pack(kernels.View(weights, rows, cols)) // row-major, rows×cols
//	k.Gemv(y, w, x, bias, kernels.ReLU)              // y = max(W·x + bias, 0)
//
// Everything else works on plain slices and on row-major views of them ([Matrix]). Each method checks
// shapes, divides the work if k has a [Team], cuts it into calls of
// a few microseconds, and calls the lower-case method of dispatch_*.go or isa_*.go, which picks assembly
// or the portable function whose name ends in Go. A product goes from [Impl.Linear] or Gemv over
// multiply to one row (product.go) or to tiles of rows and panels (tile.go, int8product.go).
//
// # Implementations
//
// There is assembly for amd64 with AVX-512 (F, BW, DQ and VL), with AVX2, FMA3 and AVX-VNNI, or with AVX2
// and FMA3, and for arm64 with NEON, because the Go compiler emits no vector instructions; portable Go
// serves every other machine. [Available] lists what this machine has and [Lookup] selects by name. The environment
// variable SOFTSEARCH_ISA makes Best return another one. The build tags purego and noasm leave out
// the assembly.
//
// # Threads
//
// A kernel runs on the calling goroutine. An Impl without team and scratch may be shared by goroutines
// that write to different results.
//
// [Impl.With] returns an Impl whose kernels share their work among the threads of a [Team]. Such an
// Impl, and every copy of it, must not be used by two goroutines at once: a call that divides its work
// panics if the team is in use. A team has goroutines of its own, so keep it and close it:
//
//	team := kernels.NewTeam(runtime.GOMAXPROCS(0))
//	defer team.Close()
//	k := kernels.Best().With(team)
//
// A team divides, where they take longer than about 4 µs:
//
//   - all products, LinearTranspose and RoundPackedBF16;
//   - RowDots, Embed and the kernels whose names end in Rows;
//   - SumSquares, Clear, UpdateAdadelta, UpdateAdam and MovingAverage of long vectors, in blocks of
//     4096 elements;
//   - tasks of the caller's own, with [Impl.Parallel].
//
// It divides nothing else: not the functions of each element, nor Add, Sub, AddScaled, Mul, Scale, Dot, Norm,
// Max, TopK and Decay, nor softmax and cross-entropy of one row, nor attention of one query, nor PackRows
// and Unpack, nor Quantize and PackRowsInt8. A local array passed to one of these can stay on the
// stack. The operands of a kernel that a team divides escape to the heap, also where there is no team.
//
// The race detector does not see the memory that assembly reads and writes. To let it check a program,
// select portable Go with SOFTSEARCH_ISA=go.
//
// # The same bits everywhere
//
// A result does not depend on the implementation, on the number of threads or of rows computed
// together, on the position of a value in its slice, or on the slice's length:
//
//   - Arithmetic is IEEE 754 binary32 in + - × ÷ √ and the fused multiply-add (fma), rounded to
//     nearest even. Subnormal numbers are kept.
//   - Products are one chain of fused multiply-adds per output, k ascending.
//   - Products of int8 sum integers, without rounding, and scale the sum in one fixed expression.
//   - Products of bfloat16 sum blocks of 32 inputs, each in two chains: see [Impl.Linear].
//   - Functions of an element are one fixed expression of it.
//   - Sums keep partial results from +0 on: 64 in sums of products ([Impl.Dot], RowDots, Norm, SumSquares,
//     SoftmaxBackward, LayerNormRows), 16 in [Impl.Scores] and sums of exponentials. Element i goes to
//     number i mod 64 or 16, i ascending. Then number l of the upper half is added to number l of the
//     lower half, until one is left. That is the sum of a block of 4096 elements; blocks are added in
//     float64 in ascending order. A sum of -0 becomes +0.
//
// The sign and payload of a NaN are not covered, nor is the result of [Impl.Max] of values with NaN.
//
// # Shapes, aliasing, limits
//
// A kernel panics with a constant string if the shapes of its operands do not agree. Lengths of 0
// are valid. Operands must not overlap unless the kernel's documentation allows it. Kernels keep no
// state, and do not allocate, except for [Impl.Pack], [Impl.PackInt8] and the first task of its kind
// that a team divides.
//
// Values are float32 except in [PackedInt8], [RowsInt8], [PackedBF16] and [RowsBF16]. A Packed
// takes as much memory as the matrix, its rows rounded up to a multiple of 16. Weights that change often, or are used once, are not worth packing.
//
// A call takes 10 to 20 ns, and a product 80 ns, before it computes anything. Measured on one amd64
// server, a kernel is faster than the plain loop in Go from about 12×12 weights (Gemv), 16 elements
// (Dot, Mul, Max), 5 elements (Softmax) or 2 elements (Exp, Tanh).
// Portable Go computes the same bits without vector instructions. For arm64, loong64, ppc64, riscv64,
// s390x, and amd64 with GOAMD64=v3, the compiler fuses its products and sums into the processor's fused
// multiply-add; a test when the program starts checks that. For other processors, in builds without
// optimization, and where the test fails, it emulates the instruction, and takes twice (Tanh) to six
// times (Gemm) as long: it is then slower than a plain loop. Either way it is slower than assembly at
// every length but for a few nanoseconds in Add, Mul and ReLU of up to 4 elements.
package kernels
