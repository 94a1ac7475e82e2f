// Command gen writes the assembly in asm from the generators in this module. It runs from the
// root of the repository as go generate ./... or from here as go run .
//
// The list of what it writes is in files.go. It also counts the instructions of the main loops
// for the table in README.md. Its tests compare the files in asm with what it would write, the
// instruction sets that they need with what package kernels checks, and every word of arm64
// with its disassembly.
package main
