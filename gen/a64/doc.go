// Package a64 writes assembly for arm64 in the dialect of the Go assembler.
//
// Registers are values: a function asks for as many as it likes, and printing assigns the
// machine's. Sources come first and the destination last, as in Go's assembly. Instructions
// that Go's assembler has are written with its mnemonics; the few that it lacks are in the
// table of forms and are written as words, with what a disassembler says beside them.
//
// A wrong operand is a mistake in a generator: it panics with the name of the instruction.
package a64
