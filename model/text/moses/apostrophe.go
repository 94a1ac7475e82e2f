package moses

import "unicode"

// A place is what is on either side of an apostrophe.
type place int

const (
	outside place = iota // no letter
	opening              // a letter after it
	closing              // a letter before it
	inside               // letters
	decade               // a digit before it and a letter after it, where that is special
	places
)

// apostrophe separates an apostrophe from the letters that it does not belong to. At the
// beginning and the end of a line it belongs to what is there.
func (s *splitter) apostrophe(at int) {
	if s.rules.apostrophes == apart {
		s.cut(at)
		s.cut(at + 1)
		return
	}
	next := firstRune(s.line[at+1:])
	if s.prev == none || next == none {
		return
	}
	p := s.place(next)
	if p == decade && next != 's' || !s.take(p) {
		return
	}
	if p != inside || s.rules.apostrophes == forward {
		s.cut(at)
	}
	if p != decade && (p != inside || s.rules.apostrophes == back) {
		s.cut(at + 1)
	}
}

// place returns the place between the character before and next.
func (s *splitter) place(next rune) place {
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

// take reports whether the apostrophe is separated. In Moses an apostrophe and the characters
// beside it are one match, and a character is in one match only: an apostrophe stays if it is
// the neighbour, or the neighbour's neighbour, of one in the same place that is separated.
// So rock'n'roll is rock 'n'roll.
func (s *splitter) take(p place) bool {
	if s.column < s.untaken[p] {
		return false
	}
	s.untaken[p] = s.column + 3
	return true
}
