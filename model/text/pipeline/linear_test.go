package pipeline

import (
	"regexp"
	"strings"
	"testing"
)

// shapes are repeated to lines that are hard to read.
var shapes = []string{
	"a", "A", "A.", "A. ", "A. B ", "aA", "1", "1 ", "1.", "1,", "1:1-", "12 345 ", "1/1-", "€", "$", "$1", "$a ", "$a=", `"`, "'", "⟦", "{", "{a", "{{", "{a}", "*", "*a", "*a* ",
	"`", "`a ", "``", ":a:`", "<", "<a ", "<a", "&", "&a", "&#", "%", "%(", "%(a", "%1", "_", "a_", "__", "--", "--a-", "--a=", `\`, `c:\a`, `\\a`, "/", "a/", "~/", "a/.", ".", "..", "a.", "a.com/",
	"@", "a@", "a@a.", "#", "#a ", "http://", "http://a", "http://(", "://a.", "www.(a)", "localhost:1", "C++", "a+", "R&D", ":", ":-)", ":)", "x", "e\u0301", "\u0301", "🎂", "→\u0301", "é", "я", "я ", "я,",
	"\ufffc", "\xff", "- ", "+1 ", "+1.1", "06 ", "9:30 ", "9h", "9 h ", "a.m. ", "-1", "±", "°", "1x", "a1.", "’", "« ",
}

// A runeCounter counts the characters that a regular expression reads.
type runeCounter struct {
	*strings.Reader
	count *int
}

func (r runeCounter) ReadRune() (rune, int, error) {
	*r.count++
	return r.Reader.ReadRune()
}

// charactersRead returns the number of characters read to find all matches, where the search for each match
// begins at the end of the one before it.
func charactersRead(re *regexp.Regexp, line string) (count int) {
	for {
		span := re.FindReaderIndex(runeCounter{strings.NewReader(line), &count})
		if span == nil {
			return count
		}
		line = line[span[1]:]
	}
}

// TestLinear: to find all spans of a kind, each character is read a few times.
func TestLinear(t *testing.T) {
	const n = 1 << 9
	for i, k := range kinds {
		for _, shape := range shapes {
			for _, end := range []string{"", "://x", "}", "$`"} {
				line := strings.Repeat(shape, n/len(shape)) + end
				if count := charactersRead(compiled()[i], line); count > 4*len(line)+16 {
					t.Errorf("%s, %q: %d characters read of a line of %d", k.name, shape, count, len(line))
				}
			}
		}
	}
}
