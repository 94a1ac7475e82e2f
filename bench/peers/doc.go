// Command peers measures the kernels against other libraries, in alternating runs on one
// processor, and writes the tables of a document from the results. It needs Linux on amd64.
//
//	go run ./bench/peers measure                       # writes bench/results/peers.txt
//	go run ./bench/peers breakdown                     # writes bench/results/breakdown.txt
//	go run ./bench/peers breakdown -o FILE -run step   # decoder steps alone, float32 and int8
//	go run ./bench/peers breakdown -o FILE -run update # training updates alone, float32 and bf16
//	go run ./bench/peers tables                        # rewrites the tables of README.md and bench/README.md, and pictures
//	go run ./bench/peers tables -check                 # fails if they differ
//
// from the root of the repository. With every opponent:
//
//	apt-get install gcc libopenblas-dev libopenblas0-openmp python3-torch
//	GOEXPERIMENT=simd go run -tags openblas ./bench/peers measure
//
// GOEXPERIMENT=simd adds code written with simd/archsimd and the SIMD products of gomlx, the
// tag openblas OpenBLAS, the read loop and the peak of fused multiply-adds. An opponent that
// is not there is left out, and the results say so.
//
// # How it measures
//
// Contenders run in worker processes (package wire), all with one thread on the same processor, or on as
// many processors as a case has threads:
// the kernels and the Go libraries in one, built without GOEXPERIMENT, under which the compiler
// makes plain Go slower; the contenders that need GOEXPERIMENT=simd in another; the libraries again
// without AVX-512; OpenBLAS with the kernels it chooses and with OPENBLAS_CORETYPE=Haswell; PyTorch
// with its own choice and with ATEN_CPU_CAPABILITY=avx512. In each round every contender of a case
// runs for one slice of time after a warm-up of an eighth of it. All share the same operands on huge
// pages and reuse the memory of their results; only gomlx, and vek in products that it divides,
// allocate. Opponents that need weights in a format of their own convert them beforehand, as the
// kernels do.
//
// # What opponents offer
//
//   - Gonum has products in float32, with SSE kernels.
//   - vek has AVX2 products and exp, but no tanh; its Gemm takes transposed weights.
//   - tphakala/simd has tanh, sigmoid and exp in AVX2, and dot products, which make a Gemv,
//     in AVX-512 or AVX2 (SIMD_DISABLE=avx512).
//   - gomlx/compute executes graphs. Its products are Go or, built with GOEXPERIMENT=simd,
//     AVX-512 or AVX2 (GOMLX_SIMD_AVX512=0); its functions are Go.
//   - PyTorch calls the BLAS that it finds. Its operations start from Python, which shows where
//     they are short. impl=torch-int8 is its dynamic quantization, by oneDNN.
//   - OpenBLAS takes the weights of a Gemv row-major (impl=openblas-CORE) or transposed
//     beforehand (impl=openblas-CORE-transposed), which is faster on some processors.
//
// A decoder step is that of package model, for the same words of one sentence and the same weights:
// with weights of float32 and, where the name of the contender ends with -int8, of int8. A training update
// is a step of Adadelta on one batch, with factors of float32 and, where the name of the contender ends
// with -bf16, of bfloat16. PyTorch chooses by torch.autocast what it computes in bfloat16.
//
// Results are in the format of Go benchmarks, for benchstat: one line for each case,
// contender and round. One operation of impl=cycle is three cycles of the processor.
//
// # Where the time goes
//
// The command breakdown profiles training updates and decoder steps (package breakdown), in a
// worker for each of the sizes, with the implementation of the kernels that SOFTSEARCH_ISA
// names. The loops of package bounds, which need cgo, run between the rounds. A part of an update in
// bfloat16 has the bound of VDPBF16PS, or where the processor has none, of fused multiply-adds. Times and bounds are
// quartiles over the rounds: a quarter of them took less time, a quarter reached a higher bound.
// The profile of all rounds divides the time. Results are one line of JSON for each operation,
// sizes, number of threads, type of weights and precision of factors.
package main
