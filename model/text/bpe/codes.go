package bpe

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// A Merge puts two neighbouring symbols of a word together. A symbol is one or more
// characters; the last symbol of a word has "</w>" after them.
type Merge struct{ Left, Right string }

// Codes are the merges of byte-pair encoding in the order in which they are applied. The
// first n of them are what [Learn] finds if it is asked for n.
type Codes []Merge

// header is the first line of a file of codes.
const header = "#version: 0.2"

// WriteTo writes the codes in the format of subword-nmt's learn-bpe: the line
// "#version: 0.2", and a line for each merge with its symbols and a space between them. It
// is an error if a symbol is empty or has a space, CR or LF, and nothing is written then.
func (c Codes) WriteTo(w io.Writer) (int64, error) {
	var text bytes.Buffer
	fmt.Fprintln(&text, header)
	for i, m := range c {
		for _, symbol := range []string{m.Left, m.Right} {
			if err := checkWord(symbol); err != nil {
				return 0, fmt.Errorf("bpe: symbol of merge %d: %w", i, err)
			}
		}
		fmt.Fprintf(&text, "%s %s\n", m.Left, m.Right)
	}
	return text.WriteTo(w)
}

// ReadCodes reads what [Codes.WriteTo] or learn-bpe wrote. Lines end with LF or CRLF. An
// error names the line that has something else than it should; files of other versions,
// where "</w>" is a symbol by itself or symbols are bytes, differ in the first line.
func ReadCodes(r io.Reader) (Codes, error) {
	lines, err := readLines(r)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("bpe: line 1: expected %q", header)
	}
	if lines[0] != header {
		return nil, fmt.Errorf("bpe: line 1: %q, expected %q", lines[0], header)
	}
	c := make(Codes, 0, len(lines)-1)
	for i, line := range lines[1:] {
		left, right, _ := strings.Cut(line, " ")
		if checkWord(left) != nil || checkWord(right) != nil {
			return nil, fmt.Errorf("bpe: line %d: %q: expected two symbols with a space between them", i+2, line)
		}
		c = append(c, Merge{left, right})
	}
	return c, nil
}
