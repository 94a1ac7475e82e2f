// Command gen generates the assembly in asm, and the methods of package kernels that choose between it and portable
// Go. Run it as go generate ./... from the root of the
// repository, or as go run . from here.
//
// A kernel starts as a line of package decl: its name, its signature and what it computes. Package elementwise,
// or avx and neon where their steps differ, describes its steps; avx emits them with avo, neon with package a64.
// files.go lists the assembly files with the function that writes each, and dispatch.go writes the methods of
// decl.Methods. The tests compare all files with what gen would write, the instruction sets that they use with
// those that package kernels checks for, and every WORD of arm64 with its disassembly.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// output is the directory of the generated packages, relative to this module.
const output = "../asm"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	files, err := generate()
	if err != nil {
		return err
	}
	for path, text := range files {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func generate() (map[string][]byte, error) {
	files, stubs := map[string][]byte{}, map[string]string{}
	for _, s := range sources {
		assembly, declarations, err := s.files()
		if err != nil {
			return nil, err
		}
		path := filepath.Join(output, s.base())
		files[path+".s"], files[path+".go"] = assembly, declarations
		stubs[filepath.Dir(s.base())] += string(declarations)
	}
	for _, d := range dispatches {
		text, err := d.file(stubs)
		if err != nil {
			return nil, err
		}
		files["../kernels/dispatch_"+d.name+".go"] = text
	}
	return files, nil
}
