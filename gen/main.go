// Command gen generates the assembly in asm. Run it as go generate ./... from the root of the
// repository, or as go run . from here. It also counts the instructions of the main loops and
// updates the table of the counts (cost.go).
//
// files.go lists what it generates. The tests compare the files in asm with what it would write,
// the instruction sets that they use with those that package kernels checks for, and every WORD
// of arm64 with its disassembly.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// output is the directory of the generated packages, relative to this module.
const output = "../asm"

func main() {
	for _, s := range sources {
		if err := write(s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := writeCosts(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(s source) error {
	assembly, stubs, err := s.files()
	if err != nil {
		return err
	}
	path := filepath.Join(output, s.base())
	if err := os.WriteFile(path+".s", assembly, 0o666); err != nil {
		return err
	}
	return os.WriteFile(path+".go", stubs, 0o666)
}
