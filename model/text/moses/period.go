package moses

import (
	"strings"
	"unicode"
)

// cut ends the word at hand. The full stop that ends it is a word of its own, unless it
// belongs to an abbreviation.
func (s *splitter) cut(at int) {
	word := s.line[s.start:at]
	s.start = at
	stem, found := strings.CutSuffix(word, ".")
	switch {
	case word == "":
	case found && stem != "" && !s.abbreviation(stem, s.line[at:]):
		s.words = append(s.words, stem, ".")
	default:
		s.words = append(s.words, word)
	}
}

// abbreviation reports whether the full stop after stem belongs to it, where rest follows.
func (s *splitter) abbreviation(stem, rest string) bool {
	if strings.Contains(stem, ".") && strings.ContainsFunc(stem, isAlpha) {
		return true
	}
	next := firstRune(strings.TrimLeftFunc(rest, unicode.IsSpace))
	numeric, listed := s.rules.prefixes[stem]
	return isLower(next) || listed && (!numeric || '0' <= next && next <= '9')
}
