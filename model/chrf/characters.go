package chrf

import (
	"strings"
	"unicode"
)

// characters is a sentence without its white space.
type characters struct {
	text   string
	starts []int // the offset of each character in text, and the length of text
}

func newCharacters(sentence string) characters {
	text := strings.Join(strings.FieldsFunc(sentence, space), "")
	starts := make([]int, 0, len(text)+1)
	for i := range text {
		starts = append(starts, i)
	}
	return characters{text, append(starts, len(text))}
}

// space reports whether r is white space, among which Python, but not Go, has the separators
// U+001C to U+001F.
func space(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// ngrams returns the number of n-grams.
func (c characters) ngrams(n int) int { return max(0, len(c.starts)-n) }

// ngram returns the n-gram that begins with character i.
func (c characters) ngram(i, n int) string { return c.text[c.starts[i]:c.starts[i+n]] }

// matches returns how many n-grams of the hypothesis the reference has. One that the
// reference has once matches once.
func matches(hypothesis, reference characters, n int) int {
	available := make(map[string]int, reference.ngrams(n))
	for i := range reference.ngrams(n) {
		available[reference.ngram(i, n)]++
	}
	count := 0
	for i := range hypothesis.ngrams(n) {
		g := hypothesis.ngram(i, n)
		if available[g] > 0 {
			available[g]--
			count++
		}
	}
	return count
}
