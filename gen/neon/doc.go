// Package neon holds the generators of the arm64 kernels in asm/neon, file by file and function
// by function beside those of gen/avx.
//
// A vector has 4 lanes, so 4 vectors hold the 16 lanes of a reduction. NEON has no masks: the
// elements behind the last whole group are loaded and stored lane by lane. A multiply-add adds
// to its destination, so that a coefficient of a polynomial is best loaded anew where it is
// added to; constants that are only read stay in registers throughout a loop.
//
// Every instruction is in the first version of the architecture, ARMv8.0.
package neon
