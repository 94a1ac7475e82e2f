package score

import (
	"strings"
	"unicode"
)

// Tokenize13a tokenizes a line of plain text like NIST's mteval-v13a.pl and sacreBLEU.
// White space separates tokens, and each of the following is a token by itself:
//
//   - an ASCII punctuation mark or symbol other than ' , - and the full stop,
//   - a comma or full stop that is not between digits,
//   - a hyphen after a digit.
//
// In a run of commas and full stops, only every other one looks at the character before it:
// ..5 is . and .5. The entities &quot; &amp; &lt; &gt; are decoded and <skipped> is removed.
// A line feed becomes a space; after a hyphen, both are removed and the word continues. Bytes
// outside UTF-8 count as letters.
func Tokenize13a(line string) []string {
	line = unescape(strings.TrimRightFunc(line, isSpace))
	var spaced strings.Builder
	spaced.Grow(len(line) + len(line)/4)
	before, split := byte(' '), false
	for i := range len(line) {
		c, after := line[i], byte(' ')
		if i+1 < len(line) {
			after = line[i+1]
		}
		split = (c == '.' || c == ',') && !split && !isDigit(before)
		if split || isToken(before, c, after) {
			spaced.Write([]byte{' ', c, ' '})
		} else {
			spaced.WriteByte(c)
		}
		before = c
	}
	return strings.FieldsFunc(spaced.String(), isSpace)
}

// isToken reports whether c is a token by itself between the bytes before and after.
func isToken(before, c, after byte) bool {
	switch {
	case c == '.' || c == ',':
		return !isDigit(after)
	case c == '-':
		return isDigit(before)
	}
	return c != '\'' && (c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// unescape decodes the entities one after the other, so &amp;lt; becomes <.
func unescape(line string) string {
	line = strings.ReplaceAll(line, "<skipped>", "")
	line = strings.ReplaceAll(line, "-\n", "")
	line = strings.ReplaceAll(line, "\n", " ")
	line = strings.ReplaceAll(line, "&quot;", `"`)
	line = strings.ReplaceAll(line, "&amp;", "&")
	line = strings.ReplaceAll(line, "&lt;", "<")
	return strings.ReplaceAll(line, "&gt;", ">")
}

// isSpace reports whether Python considers r white space. Unlike Go, it includes the separators
// U+001C to U+001F.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
