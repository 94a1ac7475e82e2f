package pipeline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A letterCase is the case in which words are read. All but asWritten stand for capitals.
type letterCase int

const (
	asWritten letterCase = iota
	lowerCase
	sentenceCase // lower case but for a capital at the beginning
)

// letterCase returns the case with the fewest segments for a marked line in capitals that is more than abbreviations,
// and asWritten for other lines.
func (p Pipeline) letterCase(line string) letterCase {
	if p.segmenter == nil || p.settings.Language == "" || p.settings.Lowercase || strings.ContainsFunc(line, unicode.IsLower) {
		return asWritten
	}
	lower := lowerCase.of(line)
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

// of returns a line in c.
func (c letterCase) of(line string) string {
	if c == asWritten {
		return line
	}
	line = strings.ToLower(line)
	i := strings.IndexFunc(line, unicode.IsLetter)
	if c == lowerCase || i < 0 {
		return line
	}
	first, n := utf8.DecodeRuneInString(line[i:])
	return line[:i] + string(unicode.ToUpper(first)) + line[i+n:]
}
