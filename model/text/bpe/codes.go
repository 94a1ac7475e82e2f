package bpe

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Merge joins two adjacent symbols of a word. A symbol is one or more characters; the last
// symbol of a word also has the suffix "</w>".
type Merge struct{ Left, Right string }

// MaxSymbol is the length in bytes, without "</w>", of the longest symbol that a merge of [Merges] or
// [ReadCodes] has or produces.
const MaxSymbol = 1 << 16

// fits reports whether the symbol that m produces is not longer than MaxSymbol.
func (m Merge) fits() bool { return m.symbolLen() <= MaxSymbol }

// symbolLen returns the length of the symbol that m produces, without "</w>".
func (m Merge) symbolLen() int {
	return len(m.Left) + len(strings.TrimSuffix(m.Right, endOfWord))
}

// Codes are the merges of byte-pair encoding in the order in which [Merges] yields them.
type Codes []Merge

// header is the first line of a file of codes.
const header = "#version: 0.2"

// WriteTo writes the codes in the format of subword-nmt's learn-bpe: the line "#version: 0.2",
// then one line per merge with its two symbols separated by a space. If a symbol is empty,
// contains a space, CR or LF, or is longer than [MaxSymbol], WriteTo returns an error and writes
// nothing. It panics if w is nil.
func (c Codes) WriteTo(w io.Writer) (int64, error) {
	if w == nil {
		panic("bpe: WriteTo: nil writer")
	}
	var text bytes.Buffer
	fmt.Fprintln(&text, header)
	for i, m := range c {
		for _, symbol := range []string{m.Left, m.Right} {
			if err := checkWord(symbol); err != nil {
				return 0, fmt.Errorf("symbol of merge %d: %w", i, err)
			}
		}
		if !m.fits() {
			return 0, fmt.Errorf("merge %d: %w", i, m.lengthError())
		}
		fmt.Fprintf(&text, "%s %s\n", m.Left, m.Right)
	}
	return text.WriteTo(w)
}

// MarshalText returns what WriteTo writes.
func (c Codes) MarshalText() ([]byte, error) {
	var text bytes.Buffer
	_, err := c.WriteTo(&text)
	return text.Bytes(), err
}

// UnmarshalText reads what WriteTo wrote.
func (c *Codes) UnmarshalText(text []byte) (err error) {
	*c, err = ReadCodes(bytes.NewReader(text))
	return err
}

// lengthError returns the error for a merge that does not fit.
func (m Merge) lengthError() error {
	return fmt.Errorf("symbol %.80q of %d bytes, expected at most %d", m.Left+m.Right, m.symbolLen(), MaxSymbol)
}

// ReadCodes reads a file of [Codes.WriteTo] or learn-bpe. Lines end with LF or CRLF. A byte-order
// mark at the beginning is skipped. An error names the first line that is not as expected, or whose
// symbols make one longer than [MaxSymbol]. Files of other versions, in which "</w>" is a symbol of
// its own or symbols are bytes, differ in the first line. ReadCodes panics if r is nil.
func ReadCodes(r io.Reader) (Codes, error) {
	if r == nil {
		panic("bpe: ReadCodes: nil reader")
	}
	c := Codes{}
	first := true
	err := readLines(r, func(line string) error {
		if first {
			first = false
			if line != header {
				return fmt.Errorf("%.80q, expected %q", line, header)
			}
			return nil
		}
		left, right, _ := strings.Cut(line, " ")
		m := Merge{left, right}
		switch {
		case checkWord(left) != nil || checkWord(right) != nil:
			return fmt.Errorf("%.80q: expected two symbols separated by a space", line)
		case !m.fits():
			return m.lengthError()
		}
		c = append(c, m)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case first:
		return nil, fmt.Errorf("line 1: expected %q", header)
	}
	return c, nil
}

// readLines calls read for each line of r, without its end (LF or CRLF) and a byte-order mark at
// the beginning of r. It leaves out empty lines at the end of the file. The errors of read get the
// number of the line.
func readLines(r io.Reader, read func(line string) error) error {
	const maxLine = 1 << 20
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number, empty := 0, 0 // empty lines since the last other one
	for lines.Scan() {
		number++
		line := strings.TrimRight(lines.Text(), "\r")
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if line == "" {
			empty++
			continue
		}
		for ; empty > 0; empty-- {
			if err := read(""); err != nil {
				return fmt.Errorf("line %d: %w", number-empty, err)
			}
		}
		if err := read(line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: longer than 1 MiB", number+1)
	case err != nil:
		return err
	}
	return nil
}

// checkWord returns an error if s cannot be a field of a line.
func checkWord(s string) error {
	if s == "" || strings.ContainsAny(s, " \r\n") {
		return fmt.Errorf("%.80q: expected characters other than space, CR and LF", s)
	}
	return nil
}
