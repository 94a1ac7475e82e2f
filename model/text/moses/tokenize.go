package moses

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Tokenizer splits lines into words. Its options apply in the order of the fields. Multi30k,
// for example, was prepared with Lowercase, Normalize and escapes like &amp; for &, which are left
// out here. The zero value has the rules for unknown languages.
type Tokenizer struct {
	Language  string // "en", "fr" or "de"
	Lowercase bool   // lowercase the line, character by character
	Normalize bool   // normalize its punctuation, see [Normalize]
}

// Tokenize returns the words of a line. Words are not empty and contain no white space. White
// space of any kind, line ends included, separates words. ASCII control characters are dropped.
//
// Every character other than letters, digits, white space and . , ' ` - is a word, and so is a
// run of two or more full stops. The following are words, too:
//
//   - a comma, except between digits;
//   - a full stop at the end of a word, except after an abbreviation of the language, after a
//     word that contains a letter and another full stop, and before a word in lower case. This
//     applies to the last word of a line, too;
//   - an apostrophe. Between letters, however, it begins a word in English (don 't) and ends one
//     in French (l' homme). After a digit, an English apostrophe begins the word 's and stays
//     before other letters. At the beginning and the end of a line, English and French
//     apostrophes stay, except after a full stop.
//
// Words share the memory of line where possible.
func (t Tokenizer) Tokenize(line string) []string {
	line = toValidUTF8(line)
	if t.Lowercase {
		line = strings.ToLower(line)
	}
	if t.Normalize {
		line = Normalize(t.Language, line)
	}
	s := splitter{
		line:  strings.TrimSpace(strings.Map(dropControl, line)),
		rules: rulesOf(t.Language),
		prev:  none,
	}
	s.split()
	return s.words
}

// unescapes reverses the escapes of Moses, and their older forms, for characters with a meaning in its
// files: the separator of factors, XML, and the brackets of non-terminals.
var unescapes = strings.NewReplacer(
	"&amp;", "&", "&#124;", "|", "&bar;", "|",
	"&lt;", "<", "&gt;", ">", "&apos;", "'", "&quot;", `"`,
	"&#91;", "[", "&bra;", "[", "&#93;", "]", "&ket;", "]")

// dropControl drops the ASCII control characters other than white space.
func dropControl(r rune) rune {
	if r < ' ' && !unicode.IsSpace(r) {
		return -1
	}
	return r
}

// A splitter splits one line into words. Moses applies substitutions one after the other; what
// each of them sees follows from the neighboring characters, so a single pass is enough.
type splitter struct {
	line  string // trimmed, without control characters
	words []string
	rules rules

	start     int               // of the current word
	prev      rune              // the character before, or none
	freeComma bool              // the last comma was separated from the text before it
	column    int               // of the character, counting a space on either side of isolated ones
	nextMatch [surroundings]int // first column at which an apostrophe can match again
}

// split appends the words of the line.
func (s *splitter) split() {
	for at, end := 0, 0; at < len(s.line); at = end {
		r, size := utf8.DecodeRuneInString(s.line[at:])
		end = at + size
		switch {
		case isAlnum(r), r == '`', r == '-':
		case r == '.':
			end = s.fullStops(at)
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
	s.splitFinalQuote()
}

// isolate makes line[at:end] a word.
func (s *splitter) isolate(at, end int) {
	s.cut(at)
	s.words = append(s.words, s.line[at:end])
	s.start = end
	s.column += 2
}

// cut ends the current word at the given index. A full stop at its end becomes a word unless it
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

// abbreviation reports whether the full stop between stem and rest belongs to stem.
func (s *splitter) abbreviation(stem, rest string) bool {
	if strings.Contains(stem, ".") && strings.ContainsFunc(stem, isAlpha) {
		return true
	}
	next := firstRune(strings.TrimLeftFunc(rest, unicode.IsSpace))
	numeric, listed := s.rules.prefixes[stem]
	return isLower(next) || listed && (!numeric || '0' <= next && next <= '9')
}

// fullStops isolates a run of full stops and returns its end. A single one stays in its word.
func (s *splitter) fullStops(at int) int {
	rest := strings.TrimLeft(s.line[at:], ".")
	end := len(s.line) - len(rest)
	if end > at+1 {
		s.isolate(at, end)
	}
	return end
}

// comma isolates a comma unless a digit follows it and a digit or nothing precedes it. In a run
// of commas, one that was separated from the text before it does not separate the next one.
func (s *splitter) comma(at int) {
	next := firstRune(s.line[at+1:])
	s.freeComma = s.prev != none && !isNumber(s.prev) && !(s.prev == ',' && s.freeComma)
	if s.freeComma || !isNumber(next) {
		s.isolate(at, at+1)
	}
}

// A surrounding is what is next to an apostrophe.
type surrounding int

const (
	outside surrounding = iota // no letter
	opening                    // a letter after it
	closing                    // a letter before it
	inside                     // letters on both sides
	decade                     // a digit before it and a letter after it, in English
	surroundings
)

// apostrophe separates an apostrophe from the letters that it does not belong to. Unless it is
// always a word, Moses leaves it at the beginning and the end of a line.
func (s *splitter) apostrophe(at int) {
	next := firstRune(s.line[at+1:])
	switch {
	case s.rules.apostrophes == apart:
		s.cut(at)
		s.cut(at + 1)
		return
	case s.prev == none || next == none:
		return
	}
	near := s.surrounding(next)
	if near == decade && next != 's' || !s.matches(near) {
		return
	}
	if near != inside || s.rules.apostrophes == forward {
		s.cut(at)
	}
	if near != decade && (near != inside || s.rules.apostrophes == back) {
		s.cut(at + 1)
	}
}

// surrounding returns what is next to an apostrophe between the previous character and next.
func (s *splitter) surrounding(next rune) surrounding {
	switch {
	case isAlpha(s.prev) && isAlpha(next):
		return inside
	case isAlpha(s.prev):
		return closing
	case !isAlpha(next):
		return outside
	case unicode.IsDigit(s.prev) && s.rules.apostrophes == forward:
		return decade
	}
	return opening
}

// matches reports whether a substitution of Moses matches the apostrophe. A match consists of an
// apostrophe and the characters beside it, and matches do not overlap: an apostrophe stays if it
// is one or two characters after another one that matched in the same surrounding. So rock'n'roll is
// rock 'n'roll.
func (s *splitter) matches(near surrounding) bool {
	if s.column < s.nextMatch[near] {
		return false
	}
	s.nextMatch[near] = s.column + 3
	return true
}

// space ends a word. A run of white space counts as one space.
func (s *splitter) space(at, end int) {
	s.cut(at)
	s.start = end
	if unicode.IsSpace(s.prev) {
		s.column--
	}
}

// splitFinalQuote splits a full stop and an apostrophe at the end of the line into two words.
func (s *splitter) splitFinalQuote() {
	if len(s.words) == 0 {
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
