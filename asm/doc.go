// Package asm holds what the generators and the portable kernels must agree on:
// the numeric constants and the contract of the raw kernels in asm/avx2 and asm/avx512, which
// gen/avx writes, and asm/neon, which gen/neon writes.
//
// A raw kernel takes pointers and counts; package kernels has checked the lengths.
// Counts are at least 1 unless stated. No alignment is assumed. A kernel reads and
// writes exactly the elements that the counts name, keeps no state, does not grow the
// stack and calls nothing. On amd64 it clears the upper halves of the vector registers; on
// arm64 it leaves R18 and R27 to R30 alone. Where one operand is written in place its pointer is passed
// once; operands of different names do not overlap, except that dst may equal src in the
// elementwise kernels. Every kernel has the meaning and the bits of the portable function
// of the same name in package kernels.
//
// Assembly cannot be preempted, so kernels bounds the work of one call to about 50 µs.
package asm

//go:generate go run -C ../gen .
