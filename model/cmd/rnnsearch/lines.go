package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// readAhead is the number of bytes that are read at a time at most.
const readAhead = 1 << 20

// standardInput is what errors call it.
const standardInput = "standard input"

// A lineReader reads the lines of a file. Its errors name the file and the line.
type lineReader struct {
	name   string
	r      *bufio.Reader
	number int               // of the line that was read last
	text   pipeline.Pipeline // how a line becomes words
}

// newLineReader returns a reader of text that is tokenised.
func newLineReader(name string, r io.Reader) *lineReader {
	return &lineReader{name: name, r: bufio.NewReaderSize(r, readAhead)}
}

// next waits for a line and returns its words, or io.EOF after the last line. Tokenised text
// must be UTF-8.
func (l *lineReader) next() ([]string, error) {
	line, err := l.r.ReadString('\n')
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	if line == "" {
		return nil, io.EOF
	}
	l.number++
	if l.text.Language() == "" && !utf8.ValidString(line) {
		return nil, lineError(l.name, l.number, text.ErrUTF8)
	}
	return l.text.Words(strings.TrimRight(line, "\r\n")), nil
}

// waiting reports whether next has a line without reading on.
func (l *lineReader) waiting() bool {
	ahead, _ := l.r.Peek(l.r.Buffered())
	return bytes.IndexByte(ahead, '\n') >= 0
}

// lines waits for a line and returns it with those that have come with it, up to most of them
// together, and the error that ended them.
func (l *lineReader) lines(most int) (list [][]string, err error) {
	for {
		words, err := l.next()
		if err != nil {
			return list, err
		}
		list = append(list, words)
		if len(list) == most || !l.waiting() {
			return list, nil
		}
	}
}

// lineError returns err with the file and the number of the line that it is about.
func lineError(name string, number int, err error) error {
	return fmt.Errorf("%s:%d: %w", name, number, err)
}
