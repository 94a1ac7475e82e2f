// Command gen writes the assembly in asm from the generators in this module. It runs from the
// root of the repository as go generate ./... or from here as go run .
//
// The list of what it writes is in files.go. Its tests compare the files in asm with what it
// would write, and the instruction sets that they need with what package kernels checks.
package main
