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
	c.Flags().BoolVar(&o.overwrite, "overwrite", false, "replace the text that --output names")
}

// open starts the output to the file, or to stdout if there is none. The file must not be one of the
// inputs, exist only with --overwrite, and then be text. No other process can open it until Close.
func (o textOutput) open(stdout io.Writer, inputs ...string) (*textWriter, error) {
	if o.file == "" && o.overwrite {
		return nil, errors.New("--overwrite: expected with --output")
	}
	if o.file == "" {
		return &textWriter{w: stdout}, nil
	}
	w := &textWriter{path: o.file}
	err := files.CheckOutput(o.file, o.overwrite, inputs...)
	if err == nil && o.overwrite {
		err = checkIsText(o.file)
	}
	if err == nil && !isSpecial(o.file) {
		w.lock, err = files.NewLock(o.file)
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

// isSpecial reports whether there is a pipe or a device at path.
func isSpecial(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// checkIsText returns an error if there is a file at path that is not text.
func checkIsText(path string) error {
	f, err := os.Open(path)
	if err != nil || isSpecial(path) {
		return nil // CheckOutput has accepted it
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	for range utf8.UTFMax - 1 { // head may end within a character
		if r, size := utf8.DecodeLastRune(head); r == utf8.RuneError && size == 1 {
			head = head[:len(head)-1]
		}
	}
	if !utf8.Valid(head) || bytes.IndexByte(head, 0) >= 0 {
		return fmt.Errorf("%s: is not text, and --overwrite replaces only text", path)
	}
	return nil
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
