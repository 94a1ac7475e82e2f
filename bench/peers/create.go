package main

import (
	"errors"
	"io"
	"os"
)

// create writes a file beside its place and moves it there when it is complete.
func create(name string, write func(w io.Writer) error) (err error) {
	file, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Sync(), file.Close())
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), name)
}
