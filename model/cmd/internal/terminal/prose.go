package terminal

import (
	"io"
	"strings"

	"github.com/cheggaaa/pb/v3/termutil"
	"github.com/mattn/go-runewidth"
)

// defaultColumns is the width of output that does not go to a terminal.
const defaultColumns = 80

// Columns returns the width of the terminal that w is, and 80 if it is none or does not know its width.
func Columns(w io.Writer) int {
	if Is(w) {
		if n, err := termutil.TerminalWidth(); err == nil && n > 0 {
			return n
		}
	}
	return defaultColumns
}

// widths are a Western terminal's wherever the program runs, so that output does not depend on the locale.
var widths = &runewidth.Condition{StrictEmojiNeutral: true}

// Width returns the number of columns that s takes: two for a wide character, none for a combining one.
func Width(s string) int { return widths.StringWidth(s) }

// Truncate returns s, or its beginning and … if it takes more columns.
func Truncate(s string, columns int) string { return widths.Truncate(s, columns, "…") }

// Prose returns a writer of whole lines to w. On a terminal it breaks lines that are wider at spaces, and shows what
// would be a command.
func Prose(w io.Writer) io.Writer {
	if !Is(w) {
		return w
	}
	return shown{file(w), func() int { return Columns(w) }}
}

// Wrap breaks a line before words that do not fit in the columns. The lines that continue it are indented
// to its second column, if two or more spaces set that off and it is in the left half, otherwise by two. A
// line that begins with a space, such as a command to copy, stays whole, and so do an object in JSON and a long word.
func Wrap(line string, columns int) string {
	text := strings.TrimSuffix(line, "\n")
	if Width(text) <= columns || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "{") {
		return line
	}
	indent := 2
	if name, rest, ok := strings.Cut(text, "  "); ok {
		if n := Width(name) + 2 + len(rest) - len(strings.TrimLeft(rest, " ")); n <= columns/2 {
			indent = n
		}
	}
	var b strings.Builder
	for at, start := 0, 0; text != ""; {
		n := len(text) - len(strings.TrimLeft(text, " "))
		if word := strings.IndexByte(text[n:], ' '); word >= 0 {
			n += word
		} else {
			n = len(text)
		}
		word := text[:n] // and the spaces before it
		if at > start && at+Width(word) > columns {
			word = strings.TrimLeft(word, " ")
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at, start = indent, indent
		}
		b.WriteString(word)
		at, text = at+Width(word), text[n:]
	}
	return b.String() + line[len(strings.TrimSuffix(line, "\n")):]
}
