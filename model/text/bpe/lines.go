package bpe

import (
	"fmt"
	"io"
	"strings"
)

// readLines returns the lines of r without their ends, LF or CRLF, and without empty lines
// at the end.
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

// checkWord returns an error if s cannot stand in a line among others.
func checkWord(s string) error {
	if s == "" || strings.ContainsAny(s, " \r\n") {
		return fmt.Errorf("%q: expected characters other than space, CR and LF", s)
	}
	return nil
}
