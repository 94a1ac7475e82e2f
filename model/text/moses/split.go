package moses

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A splitter divides one line into words. Moses does that with substitutions one after the
// other; what each of them sees follows from the characters beside it, so one pass is enough.
type splitter struct {
	line    string // trimmed, and without control characters
	words   []string
	rules   rules
	hyphens bool

	start     int         // of the word at hand
	prev      rune        // the character before, or none
	freeComma bool        // the last comma was separated from what precedes it
	column    int         // of the character, where isolated ones have a space on either side
	untaken   [places]int // the column from which an apostrophe in a place is separated again
}

// split appends the words of the line.
func (s *splitter) split() {
	first := len(s.words)
	for at, end := 0, 0; at < len(s.line); at = end {
		r, size := utf8.DecodeRuneInString(s.line[at:])
		end = at + size
		switch {
		case isAlnum(r), r == '`':
		case r == '.':
			end = s.fullStops(at)
		case r == '-':
			s.hyphen(at)
		case r == ',':
			s.comma(at)
		case r == '\'':
			s.apostrophe(at)
		case unicode.IsSpace(r):
			s.space(at, end)
		default:
			s.isolate(at, end)
		}
		s.column++
		s.prev = r
	}
	s.cut(len(s.line))
	s.closeQuote(first)
}

// isolate makes line[at:end] a word.
func (s *splitter) isolate(at, end int) {
	s.cut(at)
	s.words = append(s.words, s.line[at:end])
	s.start = end
	s.column += 2
}

// space ends a word. White space is one space.
func (s *splitter) space(at, end int) {
	s.cut(at)
	s.start = end
	if unicode.IsSpace(s.prev) {
		s.column--
	}
}

// fullStops isolates a run of full stops, and returns its end. A single one is a part of the
// word.
func (s *splitter) fullStops(at int) int {
	rest := strings.TrimLeft(s.line[at:], ".")
	end := len(s.line) - len(rest)
	if end > at+1 {
		s.isolate(at, end)
	}
	return end
}

// hyphen separates a hyphen between letters or digits if that is asked for.
func (s *splitter) hyphen(at int) {
	if s.hyphens && isAlnum(s.prev) && isAlnum(firstRune(s.line[at+1:])) {
		s.isolate(at, at+1)
		s.words[len(s.words)-1] = "@-@"
	}
}

// comma isolates a comma unless a digit follows and either a digit or nothing is before it.
// A comma that has been separated from what precedes it does not do that for the next comma.
func (s *splitter) comma(at int) {
	next := firstRune(s.line[at+1:])
	s.freeComma = s.prev != none && !isNumber(s.prev) && !(s.prev == ',' && s.freeComma)
	if s.freeComma || !isNumber(next) {
		s.isolate(at, at+1)
	}
}

// closeQuote separates the full stop and the apostrophe that end the line.
func (s *splitter) closeQuote(first int) {
	if len(s.words) == first {
		return
	}
	last := len(s.words) - 1
	stem, found := strings.CutSuffix(s.words[last], ".'")
	if !found {
		return
	}
	s.words = s.words[:last]
	if stem != "" {
		s.words = append(s.words, stem)
	}
	s.words = append(s.words, ".", "'")
}
