package bleu

import (
	"strings"
	"unicode"
)

// Tokenize13a returns the tokens of a line of plain text as NIST's mteval-v13a.pl and
// sacreBLEU find them. White space separates tokens, and a token of its own is
//
//   - every ASCII punctuation mark or symbol except ' , - and the full stop,
//   - a comma or full stop that is not between digits,
//   - a hyphen behind a digit.
//
// In a run of commas and full stops only every other one looks back: ..5 is . and .5. The
// entities &quot; &amp; &lt; &gt; stand for their characters and <skipped> for nothing; a line
// feed is a space and, behind a hyphen, joins. Bytes that are not UTF-8 are letters.
func Tokenize13a(line string) []string {
	line = unescape(strings.TrimRightFunc(line, space))
	var spaced strings.Builder
	spaced.Grow(len(line) + len(line)/4)
	before, split := byte(' '), false
	for i := range len(line) {
		c, after := line[i], byte(' ')
		if i+1 < len(line) {
			after = line[i+1]
		}
		split = (c == '.' || c == ',') && !split && !digit(before)
		if split || alone(before, c, after) {
			spaced.Write([]byte{' ', c, ' '})
		} else {
			spaced.WriteByte(c)
		}
		before = c
	}
	return strings.FieldsFunc(spaced.String(), space)
}

// alone reports whether c is a token of its own between two other bytes.
func alone(before, c, after byte) bool {
	switch {
	case c == '.' || c == ',':
		return !digit(after)
	case c == '-':
		return digit(before)
	}
	return c != '\'' && (c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~')
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// unescape replaces one entity after the other, so that &amp;lt; is <, too.
func unescape(line string) string {
	line = strings.ReplaceAll(line, "<skipped>", "")
	line = strings.ReplaceAll(line, "-\n", "")
	line = strings.ReplaceAll(line, "\n", " ")
	line = strings.ReplaceAll(line, "&quot;", `"`)
	line = strings.ReplaceAll(line, "&amp;", "&")
	line = strings.ReplaceAll(line, "&lt;", "<")
	return strings.ReplaceAll(line, "&gt;", ">")
}

// space reports whether r is white space, among which Python, but not Go, has the separators
// U+001C to U+001F.
func space(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
