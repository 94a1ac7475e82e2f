// Package neon generates the raw kernels of asm/neon. Its files and functions correspond to
// gen/avx; what differs only in mnemonics is in gen/elementwise.
//
// A vector has 4 lanes, so 4 vectors hold the 16 lanes of a reduction. NEON has no masks: the
// elements after the last whole group are loaded and stored lane by lane. A multiply-add
// overwrites its addend, so each coefficient of a polynomial is loaded just before it is added to;
// constants that are only read stay in registers throughout a loop.
//
// All instructions are part of ARMv8.0.
package neon
