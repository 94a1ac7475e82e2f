package pipeline

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// What byte-pair encoding writes behind symbols and segments.
const (
	mark  = "</w>" // ends the last symbol of a word in the codes
	joint = "@@"   // ends the segments of a word but the last
)

// symbols are those that merges make of others.
type symbols map[string]bool

// symbolsOf returns the symbols of codes, or an error for a merge that cannot be one.
func symbolsOf(codes bpe.Codes) (symbols, error) {
	known := make(symbols, len(codes))
	for i, m := range codes {
		for _, symbol := range []string{m.Left, m.Right} {
			if err := checkText(symbol); err != nil {
				return nil, fmt.Errorf("merge %d: symbol %w", i, err)
			}
			if !known.has(symbol) {
				return nil, fmt.Errorf("merge %d: symbol %q, expected a character or what an earlier merge makes", i, symbol)
			}
		}
		known[m.Left+m.Right] = true
	}
	return known, nil
}

// has reports whether a symbol is made by a merge or is a character, with or without the mark.
func (s symbols) has(symbol string) bool {
	return s[symbol] || utf8.RuneCountInString(symbol) == 1 ||
		utf8.RuneCountInString(strings.TrimSuffix(symbol, mark)) == 1
}

// checkSegments returns an error for a segment that stands twice or is no symbol inside or at
// the end of a word.
func (s symbols) checkSegments(segments []string) error {
	seen := make(map[string]bool, len(segments))
	for i, segment := range segments {
		if err := checkText(segment); err != nil {
			return fmt.Errorf("segment %d: %w", i, err)
		}
		symbol, inner := strings.CutSuffix(segment, joint)
		switch {
		case seen[segment]:
			return fmt.Errorf("segment %d: %q stands twice", i, segment)
		case !(inner && s.has(symbol)) && !s.has(segment+mark):
			return fmt.Errorf("segment %d: %q, expected one that comes of the codes", i, segment)
		}
		seen[segment] = true
	}
	return nil
}

// checkText returns an error if s is no part of a word.
func checkText(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%q: expected characters", s)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q: expected UTF-8", s)
	case strings.ContainsFunc(s, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsSpace(r) }):
		return fmt.Errorf("%q: expected no white space", s)
	}
	return nil
}
