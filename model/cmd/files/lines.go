package files

import (
	"errors"
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model/text"
)

// A Line is a line of an input.
type Line struct {
	Text   string
	Number int   // from 1
	Bad    error // why the line cannot be used; nil for a usable one
}

// Lines reads an input line by line. Its errors name the input.
type Lines struct {
	lines *text.LineReader
	input *Input
}

// NewLines returns a reader of the lines of in.
func NewLines(in *Input) *Lines {
	if in.Size() > 0 {
		return &Lines{text.NewLineReader(shortReader{in}), in}
	}
	return &Lines{text.NewLineReader(in), in}
}

// A shortReader reads little at a time, so that the offset of its input is about that of the last
// line.
type shortReader struct{ r io.Reader }

func (s shortReader) Read(p []byte) (int, error) {
	const longest = 16 << 10
	return s.r.Read(p[:min(len(p), longest)])
}

// Available blocks until there is a line. It returns that line and those after it that can be
// read without blocking, up to limit lines or about 8 MiB. After the last line the error is io.EOF.
// Lines before an error are returned with it.
func (l *Lines) Available(limit int) (lines []Line, err error) {
	const maxSize = 8 << 20
	for size := 0; ; {
		line, err := l.Next()
		if err != nil {
			return lines, err
		}
		lines = append(lines, line)
		size += len(line.Text)
		ready := l.input.Size() > 0 || l.lines.Buffered() // a file does not block
		if len(lines) == limit || size >= maxSize || !ready {
			return lines, nil
		}
	}
}

// Next blocks until there is a line, which may be a bad one. After the last line it returns io.EOF.
func (l *Lines) Next() (Line, error) {
	content, err := l.lines.Next()
	line := Line{Text: content, Number: l.lines.Line()}
	var rejected *text.LineError
	switch {
	case errors.As(err, &rejected):
		line.Bad, err = rejected.Err, nil
	case errors.Is(err, text.ErrLongLine) || errors.Is(err, text.ErrUTF8):
		err = fmt.Errorf("%s: %w", l.input.Name(), err)
	}
	return line, err
}

// Number returns the number of lines that Next has returned.
func (l *Lines) Number() int { return l.lines.Line() }

// Empty returns the error for an input without lines.
func (l *Lines) Empty() error {
	return fmt.Errorf("%s: %w, expected one sentence a line", l.input.Name(), text.ErrEmptyFile)
}

// LineError adds the name of an input and the number of a line to err.
func LineError(name string, number int, err error) error {
	return fmt.Errorf("%s:%d: %w", name, number, err)
}
