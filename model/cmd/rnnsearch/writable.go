package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// checkFiles returns an error if the files of a training cannot be written, and removes temporary
// files of programs that were killed.
func checkFiles(model, checkpoint string) error {
	if sameFile(checkpoint, model) {
		return fmt.Errorf("--checkpoint %s: is the file of --model", checkpoint)
	}
	for _, file := range []struct{ flag, path string }{{"model", model}, {"checkpoint", checkpoint}} {
		if err := checkWritable(file.flag, file.path); err != nil {
			return err
		}
		if err := removeTemporaries(file.path); err != nil {
			return err
		}
	}
	return nil
}

// sameFile reports whether two paths name one file, there or not. Links do not count.
func sameFile(a, b string) bool {
	absolute, err := filepath.Abs(a)
	other, otherErr := filepath.Abs(b)
	return err == nil && otherErr == nil && absolute == other
}

// checkWritable returns an error if no file can be put at path, the value of a flag.
func checkWritable(flag, path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("--%s %s: is a folder, expected a file", flag, path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("--%s %s: cannot be written: %w", flag, path, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// removeTemporaries removes the temporary files of path that a killed program left behind.
func removeTemporaries(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	name := regexp.MustCompile("^" + regexp.QuoteMeta(filepath.Base(path)) + `\.[0-9a-f]+\.tmp$`)
	for _, e := range entries {
		if !name.MatchString(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return err
		}
	}
	return nil
}
