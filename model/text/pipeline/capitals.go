package pipeline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A letterCase is the case in which a line is read, and that in which its translation is written.
type letterCase int

const (
	asWritten    letterCase = iota
	lowerCase               // a line in capitals, in lower case
	sentenceCase            // a line in capitals, in lower case but for a capital at the beginning
	wordCase                // a word alone that begins with a capital, in lower case
)

// letterCase returns the case of a marked line: of one in capitals that is more than abbreviations, the one with the
// fewest segments; wordCase for a token that has a capital and is a segment without it; asWritten for others.
func (p Pipeline) letterCase(line string) letterCase {
	if p.segmenter == nil || p.settings.Language == "" || p.settings.Lowercase {
		return asWritten
	}
	lower := strings.ToLower(line)
	if strings.ContainsFunc(line, unicode.IsLower) {
		if word := wordCase.of(line); word != line && word == lower {
			if tokens := p.Tokenize(word); len(tokens) == 1 && len(p.Segment(tokens)) == 1 {
				return wordCase
			}
		}
		return asWritten
	}
	if strings.ToUpper(lower) != line || !slices.ContainsFunc(p.Tokenize(lower), p.isLong) {
		return asWritten
	}
	segments := func(c letterCase) int { return len(p.Segment(p.Tokenize(c.of(line)))) }
	return slices.MinFunc([]letterCase{asWritten, sentenceCase, lowerCase}, func(a, b letterCase) int { return segments(a) - segments(b) })
}

// isLong reports whether a token in lower case has five letters, or three and is a segment: in capitals it is hardly
// an abbreviation.
func (p Pipeline) isLong(token string) bool {
	letters := 0
	for _, r := range token {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 5 || letters >= 3 && len(p.Segment([]string{token})) == 1
}

// of returns a line as it is read.
func (c letterCase) of(line string) string {
	switch c {
	case lowerCase:
		return strings.ToLower(line)
	case sentenceCase:
		return upperFirst(strings.ToLower(line))
	case wordCase:
		return lowerFirst(line)
	}
	return line
}

// upperFirst returns a line with a capital as its first letter.
func upperFirst(line string) string { return mapFirst(line, unicode.ToUpper) }

// lowerFirst returns a line without a capital as its first letter.
func lowerFirst(line string) string { return mapFirst(line, unicode.ToLower) }

func mapFirst(line string, f func(rune) rune) string {
	i := max(0, strings.IndexFunc(line, unicode.IsLetter))
	first, n := utf8.DecodeRuneInString(line[i:])
	if n == 0 || first == utf8.RuneError {
		return line
	}
	return line[:i] + string(f(first)) + line[i+n:]
}
