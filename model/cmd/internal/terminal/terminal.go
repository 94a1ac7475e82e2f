// Package terminal writes for the person who started a command: how far a task is, sentences that fit the
// terminal, warnings, and text from files that must not send the terminal commands.
//
// [ProgressOn] decides once, from where standard error goes, whether tasks show a bar or lines; the
// [Start] that it returns begins a task, whose [Progress] ends with Done. [Warnings] count the lines
// of an input that cannot be used, and [Warnings.Failure] turns them into the error of the command.
package terminal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cheggaaa/pb/v3/termutil"
	"github.com/mattn/go-isatty"
	"github.com/mattn/go-runewidth"
)

// Is reports whether a reader or writer is a terminal.
func Is(v any) bool {
	f := file(v)
	return f != nil && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// file returns the file that v reads or writes, or nil.
func file(v any) *os.File {
	switch v := v.(type) {
	case shown:
		return v.file
	case *os.File:
		return v
	}
	return nil
}

// A shown is a terminal. It shows what would be a command to it, whoever wrote the text.
type shown struct {
	file    *os.File
	columns func() int // at which it breaks lines, or nil
}

// Write writes whole characters, and lines to break, all but ends of lines and tabs as Quote returns them.
func (s shown) Write(text []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if s.columns != nil {
			line = Wrap(line, s.columns())
		}
		b.WriteString(quote(line, "\n\t"))
	}
	if _, err := io.WriteString(s.file, b.String()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// ClearLine clears the line of the cursor, which a bar may have left.
func ClearLine(w io.Writer) {
	if f := file(w); f != nil {
		w = f
	}
	io.WriteString(w, "\r\x1b[K")
}

// EndOfFileKey returns what a person types at a terminal to end the input.
func EndOfFileKey() string {
	if runtime.GOOS == "windows" {
		return "Ctrl-Z Enter"
	}
	return "Ctrl-D"
}

// Quote returns s with escapes as in Go for what a terminal would not print: control characters,
// which could send it commands, format characters such as a reversal of the direction, and invalid
// UTF-8. Strings from files and flags are printed like this. What joins letters in Persian and emoji stays.
func Quote(s string) string { return quote(s, "") }

// quote is Quote for all but some characters and the end of a line of Windows, if one of them ends the line.
func quote(s, but string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case strconv.IsGraphic(r), strings.ContainsRune("\u200c\u200d"+but, r), r == '\r' && but != "" && strings.HasPrefix(s, "\r\n"):
			b.WriteString(s[:n])
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		s = s[n:]
	}
	return b.String()
}

// ShellQuote returns s as a shell reads it as one word.
func ShellQuote(s string) string {
	if regexp.MustCompile(`^[\w./-]+$`).MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ErrInterrupted is the error of a command that a signal ended early.
var ErrInterrupted = errors.New("interrupted")

// Warnings are about lines that get the same treatment. The first three are written in full; Close
// counts the others.
type Warnings struct {
	W         io.Writer
	Treatment string // such as "translated as an empty line"
	Noun      string // what Close counts, lines if it is empty
	N         int    // of the lines so far
	numbers   []int  // of the first lines from AddAt
}

const (
	prefix        = "rnnsearch: warning: "
	shownWarnings = 3
	shownNumbers  = 50
)

// Add warns about a line, whose name and number err begins with.
func (w *Warnings) Add(err error) {
	w.N++
	if w.N <= shownWarnings {
		fmt.Fprintf(w.W, prefix+"%s, %s\n", Quote(err.Error()), w.Treatment)
	}
}

// AddAt is Add for a line whose number Close names, too.
func (w *Warnings) AddAt(number int, err error) {
	w.numbers = append(w.numbers[:min(len(w.numbers), shownNumbers)], number)
	w.Add(err)
}

// Close counts the lines of the input of that name, unless Add has written all warnings.
func (w *Warnings) Close(name string) {
	if w.N <= shownWarnings {
		return
	}
	named := strings.Trim(strings.ReplaceAll(fmt.Sprint(w.numbers[:min(len(w.numbers), shownNumbers)]), " ", ", "), "[]")
	if len(w.numbers) > shownNumbers {
		named += ", …"
	}
	if named != "" {
		named = ": " + named
	}
	fmt.Fprintf(w.W, prefix+"%s: %s like these in all%s, %s\n", Quote(name), Plural(w.N, cmp.Or(w.Noun, "line")), named, w.Treatment)
}

// Failure returns the error of a command that could not use some of the input's lines, nil if there
// was no warning.
func (w *Warnings) Failure(name string, lines int) error {
	if w.N == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d of %s cannot be used: %s", name, w.N, Plural(lines, cmp.Or(w.Noun, "line")), w.Treatment)
}

// Plural returns a number and the noun in singular or plural.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Output returns a writer to f, which is standard output, or one that fails if the program was started without it.
// Where one is closed, as by >&- in a shell, Go opens the null device for reading and writing, and
// what is written would be lost. > opens that device for writing alone.
func Output(f *os.File) io.Writer {
	if Is(f) {
		return shown{file: f}
	}
	if isClosed(f) {
		return closed{f}
	}
	return f
}

// Input returns f, which is standard input, or a reader that fails if the program was started without it, see [Output].
func Input(f *os.File) io.Reader {
	if isClosed(f) {
		return closed{f}
	}
	return f
}

// isClosed reports whether f is the null device, opened for reading and writing.
func isClosed(f *os.File) bool {
	null, err := os.Stat(os.DevNull)
	info, err2 := f.Stat()
	if err != nil || err2 != nil || runtime.GOOS == "windows" || !os.SameFile(null, info) {
		return false
	}
	_, readErr := f.Read(make([]byte, 1))
	_, writeErr := f.Write([]byte{0})
	return readErr == io.EOF && writeErr == nil
}

type closed struct{ file *os.File }

func (c closed) Read([]byte) (int, error) { return 0, ErrClosed }

func (c closed) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: c.file.Name(), Err: ErrClosed}
}

// ErrClosed is the error of a program that was started without standard input or output, or with the null device opened
// for reading and writing, which looks the same.
var ErrClosed = errors.New("closed, or " + os.DevNull + " opened for reading and writing; use < or > " + os.DevNull + " for nothing")

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
