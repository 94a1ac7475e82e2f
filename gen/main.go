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
