package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// textOutput are the flags of commands that write text to standard output or to a file.
type textOutput struct {
	file      string
	overwrite bool
}

// add adds the flags to a command.
func (o *textOutput) add(c *cobra.Command) {
	c.Flags().StringVar(&o.file, "output", "", "`file` to write instead of standard output; it appears when it is complete")
	addOverwrite(c, &o.overwrite, textFiles)
}

// textFiles are files that --overwrite may replace with text.
var textFiles = fileKind{"text", "text", isText}

// isText reports whether the beginning of the file at path is UTF-8 without NUL.
func isText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const length = 64 << 10
	head, err := io.ReadAll(io.LimitReader(f, length))
	if err != nil || bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for cut := 0; cut < utf8.UTFMax && len(head) == length && !utf8.Valid(head); cut++ {
		head = head[:len(head)-1] // a part of the last character
	}
	return utf8.Valid(head)
}

// open starts the output to the file, or to stdout if there is none. The file must not be one of the
// inputs, and exist only with --overwrite. No other process can open it until Close.
func (o textOutput) open(stdout io.Writer, inputs ...string) (*textWriter, error) {
	switch {
	case o.file == "" && o.overwrite:
		return nil, errors.New("--overwrite: expected with --output")
	case o.file == "":
		return &textWriter{w: stdout}, nil
	}
	if err := checkOutput("output", o.file, o.overwrite, textFiles, inputs...); err != nil {
		return nil, err
	}
	w := &textWriter{path: o.file}
	var err error
	if info, statErr := os.Stat(o.file); statErr != nil || info.Mode().IsRegular() {
		if w.lock, err = files.NewLock(o.file); err == nil {
			err = files.RemoveTemporaries(o.file, inputs...)
		}
	}
	if err == nil {
		w.file, err = files.Create(o.file, o.overwrite)
	}
	if err != nil {
		w.Close()
		return nil, outputError(o.file, err)
	}
	w.w = w.file
	return w, nil
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

// A textWriter writes to standard output or to a file.
type textWriter struct {
	path string // empty for standard output
	w    io.Writer
	file *files.Output // nil for standard output
	lock *files.Lock   // nil unless the file is to appear at its path
}

// Write writes text. The error names the output.
func (w *textWriter) Write(p []byte) (int, error) {
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
func (w *textWriter) Commit() error {
	if w.file == nil {
		return nil
	}
	if err := w.file.Commit(); err != nil {
		return outputError(w.path, err)
	}
	return nil
}

// Close removes a file that has not been committed.
func (w *textWriter) Close() error {
	var err error
	if w.file != nil {
		err = w.file.Close()
	}
	if w.lock != nil {
		err = errors.Join(err, w.lock.Unlock())
	}
	return err
}
