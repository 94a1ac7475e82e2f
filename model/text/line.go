package text

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLine is the length in bytes of the longest line that a [LineReader] returns.
const MaxLine = 1 << 20

// maxSkipped is the length in bytes of the longest line that a LineReader skips.
const maxSkipped = 64 << 20

// ErrLongLine: a line is longer than [MaxLine].
var ErrLongLine = errors.New("line longer than 1 MiB")

// A LineError reports a line that cannot be used. It wraps [ErrUTF8] or [ErrLongLine].
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// A LineReader reads UTF-8 text line by line, in bounded memory. It skips a byte-order mark at the
// beginning of the text.
//
// Lines end with LF or CRLF, which the last one may lack. All other characters are part of a line:
// a CR followed by anything else, which [Tokens] takes for white space, as well as NUL, U+0085 and
// U+2028, which it takes for letters.
type LineReader struct {
	r    *bufio.Reader
	line int
	err  error // ended the reading
}

// NewLineReader returns a LineReader of r. It may read more from r than the lines it returns. It panics if
// r is nil, as all functions of this package do that read from an [io.Reader].
func NewLineReader(r io.Reader) *LineReader {
	if r == nil {
		panic("text: nil reader")
	}
	const mark, end = 3, 2 // bytes around a line of MaxLine bytes
	return &LineReader{r: bufio.NewReaderSize(r, mark+MaxLine+end)}
}

// Next returns the next line without its end. After the last line the error is [io.EOF].
//
// A *[LineError] reports a line that cannot be used; the next call continues after that line. If
// it wraps [ErrUTF8], Next returns the line as it is; if it wraps [ErrLongLine], an empty one.
//
// Any other error ends the reading: an error of the underlying reader, a line of more than 64 MiB
// (it wraps ErrLongLine), or text in UTF-16 (it wraps ErrUTF8). UTF-16 begins with its byte-order
// mark or with two ASCII characters, each of which has a zero byte.
func (l *LineReader) Next() (line string, err error) {
	if l.err != nil {
		return "", l.err
	}
	text, err := l.r.ReadSlice('\n')
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return "", l.end(err)
	}
	if l.line == 0 {
		if isUTF16(text) {
			l.line = 1
			return "", l.end(fmt.Errorf("line 1: %w: the text is UTF-16, expected UTF-8", ErrUTF8))
		}
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	if len(text) == 0 {
		return "", l.end(io.EOF)
	}
	l.line++
	if err == bufio.ErrBufferFull {
		return "", l.skip(len(text))
	}
	text = bytes.TrimRight(text, "\r\n")
	switch {
	case len(text) > MaxLine:
		return "", &LineError{l.line, ErrLongLine}
	case !utf8.Valid(text):
		return string(text), &LineError{l.line, ErrUTF8}
	}
	return string(text), nil
}

// end makes err the last error of Next and returns it.
func (l *LineReader) end(err error) error {
	l.err = err
	return err
}

// skip reads the rest of a long line, of which n bytes are read, and returns the error for it.
func (l *LineReader) skip(n int) error {
	for {
		text, err := l.r.ReadSlice('\n')
		n += len(text)
		switch {
		case n > maxSkipped:
			return l.end(fmt.Errorf("line %d: %w: more than 64 MiB without an end of line, expected text", l.line, ErrLongLine))
		case err == nil || err == io.EOF:
			return &LineError{l.line, ErrLongLine}
		case err != bufio.ErrBufferFull:
			return l.end(err)
		}
	}
}

// isUTF16 reports whether text begins with a byte-order mark of UTF-16, or with two characters of
// ASCII in UTF-16, in either order of bytes.
func isUTF16(text []byte) bool {
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		return true
	}
	if len(text) < 4 {
		return false
	}
	high := [4]bool{text[0] == 0, text[1] == 0, text[2] == 0, text[3] == 0}
	return high == [4]bool{false, true, false, true} || high == [4]bool{true, false, true, false}
}

// Line returns the number, from 1, of the line that Next last returned or rejected. It is 0 before
// the first.
func (l *LineReader) Line() int { return l.line }

// Buffered reports whether Next returns without reading from the underlying reader, because its
// buffer holds a whole line or the reading has ended.
func (l *LineReader) Buffered() bool {
	ahead, _ := l.r.Peek(l.r.Buffered())
	return l.err != nil || bytes.IndexByte(ahead, '\n') >= 0
}

const marks = "\"'“”‘’„‚«»‹›()[]{} \u00a0\u202f" // around a word

// A Joiner joins lines that were broken for their width, as in a PDF. A line goes on with the one before if
// that does not end with . ! ? or …, maybe in quotation marks or brackets, and this one begins in lower case.
// A hyphen after a letter at the end of a line goes; before a capital or a digit it stays and joins the lines. A
// blank line is a paragraph, and so is each line of code: one that begins with a tab or four spaces, and those
// from ``` to the next one. So that a list of words is no sentence, 600 bytes without . ! ? or … are not joined.
type Joiner struct {
	Open, Code, fenced bool // whether a further line may be part of the paragraph, this is code, and the next line is
	text               []byte
}

// Add adds a line to the paragraph, or returns false if the line is part of another, as beyond [MaxLine] bytes.
func (j *Joiner) Add(line string) bool {
	body := strings.TrimSpace(line)
	fence := strings.HasPrefix(body, "```")
	code := j.fenced || fence || body != "" && (line[0] == '\t' || strings.HasPrefix(line, "    "))
	if j.text == nil {
		j.text, j.Code, j.fenced = append([]byte{}, line...), code, j.fenced != fence
	} else if code || !j.Open || !j.join(strings.TrimLeftFunc(line, unicode.IsSpace)) {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(body, marks))
	endless := len(j.text) > 600 && !bytes.ContainsAny(j.text[len(j.text)-600:], ".!?…")
	j.Open = !code && body != "" && end != '…' && !unicode.Is(unicode.STerm, end) && !endless
	return true
}

func (j *Joiner) join(line string) bool {
	before := bytes.TrimRightFunc(j.text, unicode.IsSpace)
	stem := bytes.TrimRight(before, "-\u2010\u00ad") // without a hyphen, which -- is not
	last, _ := utf8.DecodeLastRune(stem)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, marks))
	lower, hyphen := unicode.IsLower(first), len(stem) < len(before) && unicode.In(last, unicode.L, unicode.Nd) && !bytes.HasSuffix(before, []byte("--"))
	switch {
	case len(before)+1+len(line) > MaxLine || !lower && !(hyphen && unicode.In(first, unicode.Lu, unicode.Nd)):
		return false
	case !hyphen:
		before = append(before, ' ')
	case lower && unicode.IsLetter(last):
		before = stem
	}
	j.text = append(before, line...)
	return true
}

// Take returns the paragraph and begins another.
func (j *Joiner) Take() (paragraph string) {
	paragraph, j.text = string(j.text), nil
	return paragraph
}
