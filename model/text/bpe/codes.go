package bpe

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// A Merge joins two adjacent symbols of a word. A symbol is one or more characters; the last
// symbol of a word also has the suffix "</w>".
type Merge struct{ Left, Right string }

// Codes are the merges of byte-pair encoding in the order in which they were learned. The first
// n of them are the result of [Learn] for n merges.
type Codes []Merge

// header is the first line of a file of codes.
const header = "#version: 0.2"

// WriteTo writes the codes in the format of subword-nmt's learn-bpe: the line "#version: 0.2",
// then one line per merge with its two symbols separated by a space. If a symbol is empty or
// contains a space, CR or LF, WriteTo returns an error and writes nothing.
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

// ReadCodes reads a file of [Codes.WriteTo] or learn-bpe. Lines end with LF or CRLF. An error
// names the first line that is not as expected. Files of other versions, in which "</w>" is a
// symbol of its own or symbols are bytes, differ in the first line.
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
			return nil, fmt.Errorf("bpe: line %d: %q: expected two symbols separated by a space", i+2, line)
		}
		c = append(c, Merge{left, right})
	}
	return c, nil
}

// readLines returns the lines of r without line ends (LF or CRLF) and without empty lines at
// the end of the file.
func readLines(r io.Reader) ([]string, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("bpe: %w", err)
	}
	var lines []string
	for line := range strings.Lines(strings.TrimRight(string(text), "\r\n")) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines, nil
}

// checkWord returns an error if s cannot be a field of a line.
func checkWord(s string) error {
	if s == "" || strings.ContainsAny(s, " \r\n") {
		return fmt.Errorf("%q: expected characters other than space, CR and LF", s)
	}
	return nil
}
