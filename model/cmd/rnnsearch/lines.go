package main

import (
	"bufio"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text"
)

// eachLine calls f with the words of each line of standard input as soon as the line is
// there, until the input ends or an error occurs. Errors name the line.
func eachLine(stdin io.Reader, f func(words []string) error) error {
	r := bufio.NewReader(stdin)
	for number := 1; ; number++ {
		line, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("standard input: %w", err)
		}
		if line == "" {
			return nil
		}
		if !utf8.ValidString(line) {
			return fmt.Errorf("standard input:%d: %w", number, text.ErrUTF8)
		}
		if err := f(text.Tokens(line)); err != nil {
			return fmt.Errorf("standard input:%d: %w", number, err)
		}
	}
}
