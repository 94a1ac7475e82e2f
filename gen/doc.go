// Command gen generates the assembly in asm. Run it as go generate ./... from the root of the
// repository, or as go run . from here. It also counts the instructions of the main loops and
// updates the table of the counts (cost.go).
//
// files.go lists what it generates. The tests compare the files in asm with what it would write,
// the instruction sets that they use with those that package kernels checks for, and every WORD
// of arm64 with its disassembly.
package main
