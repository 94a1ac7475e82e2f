// Package a64 generates assembly for arm64 in the dialect of the Go assembler.
//
// Registers are virtual: a function takes any number of them, and printing assigns registers of the
// machine. Sources come first and the destination last, as in Go's assembly. Instructions are
// written with the mnemonics of Go's assembler; the few that it lacks are in the table of forms
// and are written as words, with their disassembly in a comment.
//
// Methods are named after the mnemonics, with the suffix I for an immediate operand, P for an
// address that is incremented after the access, X for an indexed address and D for lanes of 64
// bits. ST… are stores, which Go's assembler calls moves.
//
// An operand out of range is a mistake in a generator: the method panics with the name of the
// instruction and the function so far.
package a64
