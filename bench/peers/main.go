// Command peers measures the kernels against other libraries, in alternating runs on one
// processor, and writes the tables of documents from the results. It needs Linux on amd64.
//
//	go run ./bench/peers measure               # kernels; writes bench/results/peers.txt
//	go run ./bench/peers measure -set updates  # training updates; writes bench/results/update.txt
//	go run ./bench/peers tables                # rewrites the tables of README.md, bench/README.md and bench/results
//	go run ./bench/peers tables -check         # fails if they differ
//
// from the root of the repository. With every opponent:
//
//	apt-get install gcc libopenblas-dev libopenblas0-openmp python3-torch
//	go run -tags openblas ./bench/peers measure
//
// The tag openblas adds OpenBLAS and the bounds of products: reading the weights, and as many fused
// multiply-adds. An opponent that is not there is left out, and the results say so.
//
// The path of a measurement: measure takes a set of cases (package suite) and starts worker processes
// (package wire), all on the same processor, or on as many processors as a case has threads: the
// kernels and the Go libraries (package contender) in one, OpenBLAS with the kernels it chooses and with
// OPENBLAS_CORETYPE=Haswell in two others, and so PyTorch with its own choice and with ATEN_CPU_CAPABILITY=avx512. In each
// round every contender of a case runs for one slice of time after a warm-up of an eighth of it. Each
// round of a contender is a line of the results, in the format of Go benchmarks. Package report reads
// them and writes tables.
//
// All contenders share the same operands on huge pages and reuse the memory of their results; only
// vek, in products that it divides, allocates. Opponents that need weights in a format of their own
// convert them beforehand, as the kernels do.
//
//   - Gonum has products in float32, with SSE kernels.
//   - vek has AVX2 products and exp, but no tanh; its Gemm takes transposed weights.
//   - tphakala/simd has tanh, sigmoid and exp in AVX2, and dot products, which make a Gemv, in AVX-512
//     or AVX2.
//   - PyTorch calls the BLAS that it finds. Its operations start from Python, which shows where
//     they are short. impl=torch-int8 is its dynamic quantization, by oneDNN.
//   - OpenBLAS takes the weights of a Gemv row-major (impl=openblas-CORE) or transposed
//     beforehand (impl=openblas-CORE-transposed), which is faster on some processors.
//
// A decoder step is that of package model, for the same words of one sentence and the same weights:
// with weights of float32 and, where the name of the contender ends with -int8, of int8. A training update
// is a step of Adadelta on one batch, with factors of float32 and, where the name of the contender ends
// with -bf16, of bfloat16. PyTorch chooses by torch.autocast what it computes in bfloat16.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `usage: peers measure [flags]   measure and write results
       peers tables [flags]    rewrite tables from results
The flag -h of each lists its flags.
`

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

// run executes the command line args and returns the exit code.
func run(args []string, stderr io.Writer) int {
	commands := map[string]func(args []string, stderr io.Writer) error{"measure": measure, "tables": tables, "worker": worker}
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprint(stderr, usage)
		return 2
	}
	err := commands[args[0]](args[1:], stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "peers:", err)
		return 1
	}
	return 0
}

// parse parses args, all of which must be flags.
func parse(f *flag.FlagSet, args []string, stderr io.Writer) error {
	f.SetOutput(stderr)
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%s: unexpected argument %q", f.Name(), f.Arg(0))
	}
	return nil
}
