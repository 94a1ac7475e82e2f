package main

import (
	"fmt"
	"io"
)

// shownWarnings is the number of warnings of a kind that are shown in full.
const shownWarnings = 3

// warnings tell of lines that get the same treatment: of the first ones in full, of the others in
// their number.
type warnings struct {
	stderr    io.Writer
	treatment string // such as "translated as an empty line"
	n         int
}

// add warns of a line, whose name and number err begins with.
func (w *warnings) add(err error) {
	w.n++
	if w.n <= shownWarnings {
		fmt.Fprintf(w.stderr, "rnnsearch: warning: %s, %s\n", quoted(err.Error()), w.treatment)
	}
}

// close tells how many lines of the input there were if not all are shown.
func (w *warnings) close(name string) {
	if w.n > shownWarnings {
		fmt.Fprintf(w.stderr, "rnnsearch: warning: %s: %s like these in all, %s\n", quoted(name), plural(w.n, "line"), w.treatment)
	}
}

// badLines are warnings of lines that cannot be used, which make a command fail at its end.
type badLines struct{ warnings }

func newBadLines(stderr io.Writer, treatment string) *badLines {
	return &badLines{warnings{stderr: stderr, treatment: treatment}}
}

// failure returns an error if there were bad lines among those of the input, of which there were
// that many.
func (b *badLines) failure(name string, lines int) error {
	if b.n == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d of %s cannot be used: %s", name, b.n, plural(lines, "line"), b.treatment)
}

// plural returns a number and the noun in singular or plural.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
