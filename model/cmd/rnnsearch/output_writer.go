package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

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
	part bool          // a part of the file stays for the next run, see files.Continue

	synced time.Time // when a part was last synced
}

// syncInterval is the time between two syncs of a part, and thus of the work that a crash of the
// system may cost. A sync can take as long as a small model takes for a window of lines.
const syncInterval = time.Second

// openOutput starts the output of a file of that kind to path, the value of --output, or continues
// that of an earlier run with the key, unless that is empty. The file must not be one of the inputs,
// and exist only if overwrite is true. No other process can open it until Close.
func openOutput(path, key string, overwrite bool, kind fileKind, inputs ...string) (*outputWriter, error) {
	if err := checkOutput("output", path, overwrite, kind, inputs...); err != nil {
		return nil, err
	}
	w := &outputWriter{path: path, part: key != ""}
	var err error
	if info, statErr := os.Stat(path); statErr != nil || info.Mode().IsRegular() {
		if w.lock, err = files.NewLock(path); err == nil {
			err = files.RemoveTemporaries(path, inputs...)
		}
	}
	switch {
	case err != nil:
	case w.part:
		w.file, err = files.Continue(path, key, overwrite)
	default:
		w.file, err = files.Create(path, overwrite)
	}
	if err != nil {
		w.Close()
		return nil, outputError(path, err)
	}
	w.w = w.file
	return w, nil
}

// Write writes to the output. What it writes to a part outlasts a crash of the system, except in the
// last second. The error names the output.
func (w *outputWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err == nil && w.part && time.Since(w.synced) >= syncInterval {
		err = w.file.Sync()
		w.synced = time.Now()
	}
	return n, w.failed(err)
}

// Commit makes a complete file appear at its path.
func (w *outputWriter) Commit() error {
	if w.file == nil {
		return nil
	}
	return w.failed(w.file.Commit())
}

// failed adds the name of the output to an error, and how to go on with a part.
func (w *outputWriter) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case w.file == nil:
		if inner, ok := err.(*fs.PathError); ok {
			err = inner.Err // the path is a guess
		}
		return fmt.Errorf("standard output: %w", err)
	case w.part && !errors.Is(err, files.ErrExists):
		return fmt.Errorf("%w; %s", outputError(w.path, err), w.toResume())
	}
	return outputError(w.path, err)
}

// toResume says how to go on with a part.
func (w *outputWriter) toResume() string {
	return "run the same command to resume from " + w.file.Name()
}

// Close removes a file that has not been committed, unless it is a part with data.
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
