package safetensors

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sniffSize is the number of bytes by which a foreign file is recognized.
const sniffSize = 512

// foreignError returns the error for data that begins with the bytes of start, continues with r, and
// is not a safetensors file: what it looks like, or else the message.
func foreignError(start []byte, r io.Reader, format string, args ...any) error {
	start = start[:min(len(start), sniffSize)]
	rest, _ := io.ReadAll(io.LimitReader(r, int64(sniffSize-len(start))))
	if kind := recognize(append(bytes.Clone(start), rest...)); kind != "" {
		return fmt.Errorf("%w: looks like %s", ErrFormat, kind)
	}
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// recognize returns the kind of a file that begins with these bytes, "" if it is unknown. The bytes
// are sniffSize or the whole file.
func recognize(b []byte) string {
	for _, known := range []struct{ magic, kind string }{
		{"\x1f\x8b", "gzip"},
		{"PK\x03\x04", "a zip archive, such as a PyTorch file"},
		{"PK\x05\x06", "an empty zip archive"},
		{"\x80\x02", "a Python pickle"},
		{"\x80\x03", "a Python pickle"},
		{"\x80\x04\x95", "a Python pickle"},
		{"\x80\x05\x95", "a Python pickle"},
	} {
		if bytes.HasPrefix(b, []byte(known.magic)) {
			return known.kind
		}
	}
	if !isText(b) {
		return ""
	}
	start := strings.ToLower(strings.TrimLeft(string(b), "\ufeff \t\r\n"))
	switch {
	case strings.HasPrefix(start, "<!doctype html"), strings.HasPrefix(start, "<html"):
		return "HTML"
	case strings.HasPrefix(start, "{"), strings.HasPrefix(start, "["):
		return "JSON"
	}
	return "text"
}

// isText reports whether b is UTF-8 without control characters other than white space. A character
// may be cut off at the end.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			return !utf8.FullRune(b)
		}
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return false
		}
		b = b[n:]
	}
	return true
}
