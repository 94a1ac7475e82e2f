package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// output is the folder of the generated packages, relative to this module.
const output = "../asm"

func main() {
	for _, s := range sources {
		if err := write(s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func write(s source) error {
	files, err := s.files()
	if err != nil {
		return err
	}
	for path, text := range files {
		if err := os.WriteFile(filepath.Join(output, path), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
