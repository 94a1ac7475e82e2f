// Package a64 writes assembly for arm64 in the dialect of the Go assembler.
//
// Registers are values: a function asks for as many as it likes, and printing assigns the
// machine's. Sources come first and the destination last, as in Go's assembly. Instructions
// that Go's assembler has are written with its mnemonics; the few that it lacks are in the
// table of forms and are written as words, with what a disassembler says beside them.
//
// Methods are named after the mnemonics, with I for an immediate operand, P for an address
// that moves behind what is accessed, X for one with an index, D for lanes of 64 bits. ST… are
// the stores, which Go's assembler calls moves.
//
// A wrong operand is a mistake in a generator: it panics with the name of the instruction.
package a64
