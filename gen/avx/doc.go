// Package avx generates the raw kernels of asm/avx2 and asm/avx512.
//
// A file with the name of one in asm generates that for every instruction set with its kernels; target.go
// emits those that package elementwise describes. A kernel is one algorithm with
// the vector width as a parameter (isa.go): a Go function that emits instructions in the order of
// its formula. Registers are allocated afterwards. Loops over elements (loop.go) emit the same
// body for whole vectors and, under a mask, for the remainder, and load constants into registers
// before they start.
//
// Operands are in the order of Go's assembler, destination last. A reduction keeps element i in
// lane i mod 16, in one register or two, or i mod 64 in a sum of products (loop.go).
package avx
