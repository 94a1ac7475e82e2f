package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// errOverwriteNothing is the error for --overwrite without the output that it is about.
var errOverwriteNothing = errors.New("--overwrite: expected with --output")

// An outputWriter writes to standard output, or to the file that --output names.
type outputWriter struct {
	path string // empty for standard output
	w    io.Writer
	file *files.Output // nil for standard output
	lock *files.Lock   // nil unless the file is to appear at its path
}

// openOutput starts the output of a file of that kind to path, the value of --output. The file must
// not be one of the inputs, and exist only if overwrite is true. No other process can open it until
// Close.
func openOutput(path string, overwrite bool, kind fileKind, inputs ...string) (*outputWriter, error) {
	if err := checkOutput("output", path, overwrite, kind, inputs...); err != nil {
		return nil, err
	}
	w := &outputWriter{path: path}
	var err error
	if info, statErr := os.Stat(path); statErr != nil || info.Mode().IsRegular() {
		if w.lock, err = files.NewLock(path); err == nil {
			err = files.RemoveTemporaries(path, inputs...)
		}
	}
	if err == nil {
		w.file, err = files.Create(path, overwrite)
	}
	if err != nil {
		w.Close()
		return nil, outputError(path, err)
	}
	w.w = w.file
	return w, nil
}

// Write writes to the output. The error names the output.
func (w *outputWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	switch {
	case err == nil:
	case w.file == nil:
		if inner, ok := err.(*fs.PathError); ok {
			err = inner.Err // the path is a guess
		}
		err = fmt.Errorf("standard output: %w", err)
	default:
		err = outputError(w.path, err)
	}
	return n, err
}

// Commit makes a complete file appear at its path.
func (w *outputWriter) Commit() error {
	if w.file == nil {
		return nil
	}
	if err := w.file.Commit(); err != nil {
		return outputError(w.path, err)
	}
	return nil
}

// Close removes a file that has not been committed.
func (w *outputWriter) Close() error {
	var err error
	if w.file != nil {
		err = w.file.Close()
	}
	if w.lock != nil {
		err = errors.Join(err, w.lock.Unlock())
	}
	return err
}

// outputError adds the flag to an error of package files, and the path to an error of the system,
// which may have that of a file beside it.
func outputError(path string, err error) error {
	switch inner := err.(type) {
	case *fs.PathError:
		return fmt.Errorf("--output %s: %w", path, inner.Err)
	case *os.LinkError:
		return fmt.Errorf("--output %s: %w", path, inner.Err)
	}
	return fmt.Errorf("--output %w", err)
}
