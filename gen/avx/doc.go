// Package avx writes the raw kernels of asm/avx2 and asm/avx512.
//
// One file here writes one file in each: a kernel is one algorithm, and the width of the
// vectors is a parameter (isa.go). A kernel is a Go function that emits instructions in the
// order of its formula; registers are allocated afterwards. Loops over elements come from
// spans (loop.go), which emits the same body for whole vectors and, masked, for the rest, and
// keeps constants in registers as far as there are any.
//
// Operands stand in the order of Go's assembler, the destination last. A kernel that
// reduces keeps element i in lane i mod 16, in one register or two.
package avx
