// Package avx2 writes the raw kernels of asm/avx2: amd64 with AVX2 and FMA3.
//
// One file here writes one file there. A kernel is a Go function that emits instructions in
// the order of its formula; registers are allocated afterwards. Loops over elements come from
// spans (loop.go), which emits the same body for whole vectors and, masked, for the tail.
//
// Operands stand in the order of Go's assembler, the destination last. A kernel that
// reduces keeps element i in lane i mod 16, eight lanes in each of two registers.
package avx2
