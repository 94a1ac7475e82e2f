package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// openModel reads a model with vocabularies.
func openModel(path string) (*model.Model, error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	if m.Source == nil || m.Target == nil {
		return nil, fmt.Errorf("%s: model without vocabularies, expected one from rnnsearch train", path)
	}
	return m, nil
}

// readPairs reads a file of source sentences and one of target sentences in the text of m.
func readPairs(m *model.Model, source, target string) ([]text.Pair, error) {
	return text.ReadParallelFunc(source, target, m.SourceText.Words, m.TargetText.Words)
}

// standardInput is the name of standard input in errors.
const standardInput = "standard input"

// A lineReader reads a file line by line. Its errors name the file and the line.
type lineReader struct {
	name   string
	r      *bufio.Reader
	number int  // of the last line
	utf8   bool // whether lines must be UTF-8
}

// newLineReader returns a reader of text as p takes it: tokenized text must be UTF-8.
func newLineReader(name string, r io.Reader, p pipeline.Pipeline) *lineReader {
	const bufferSize = 1 << 20
	return &lineReader{name: name, r: bufio.NewReaderSize(r, bufferSize), utf8: p.Language() == ""}
}

// available blocks until there is a line. It returns that line and those after it that can be
// read without blocking, up to limit lines. After the last line the error is io.EOF. Lines before
// an error are returned with it.
func (l *lineReader) available(limit int) (lines []string, err error) {
	for {
		line, err := l.next()
		if err != nil {
			return lines, err
		}
		lines = append(lines, line)
		if len(lines) == limit || !l.buffered() {
			return lines, nil
		}
	}
}

// next blocks until there is a line and returns it without its end, or io.EOF after the last one.
func (l *lineReader) next() (string, error) {
	line, err := l.r.ReadString('\n')
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("%s: %w", l.name, err)
	}
	if line == "" {
		return "", io.EOF
	}
	l.number++
	if l.utf8 && !utf8.ValidString(line) {
		return "", lineError(l.name, l.number, text.ErrUTF8)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// buffered reports whether next has a whole line in its buffer.
func (l *lineReader) buffered() bool {
	ahead, _ := l.r.Peek(l.r.Buffered())
	return bytes.IndexByte(ahead, '\n') >= 0
}

// lineError adds the name of a file and the number of a line to err.
func lineError(name string, number int, err error) error {
	return fmt.Errorf("%s:%d: %w", name, number, err)
}
