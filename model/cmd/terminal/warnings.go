package terminal

import (
	"fmt"
	"io"
)

// Warnings are about lines that get the same treatment. The first three are written in full; Close
// counts the others.
type Warnings struct {
	W         io.Writer
	Treatment string // such as "translated as an empty line"
	N         int    // of the lines so far
}

const (
	prefix        = "rnnsearch: warning: "
	shownWarnings = 3
)

// Add warns about a line, whose name and number err begins with.
func (w *Warnings) Add(err error) {
	w.N++
	if w.N <= shownWarnings {
		fmt.Fprintf(w.W, prefix+"%s, %s\n", Quote(err.Error()), w.Treatment)
	}
}

// Close counts the lines of the input of that name, unless Add has written all warnings.
func (w *Warnings) Close(name string) {
	if w.N > shownWarnings {
		fmt.Fprintf(w.W, prefix+"%s: %s like these in all, %s\n", Quote(name), Plural(w.N, "line"), w.Treatment)
	}
}

// Failure returns the error of a command that could not use some of the input's lines, nil if there
// was no warning.
func (w *Warnings) Failure(name string, lines int) error {
	if w.N == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d of %s cannot be used: %s", name, w.N, Plural(lines, "line"), w.Treatment)
}

// Plural returns a number and the noun in singular or plural.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
