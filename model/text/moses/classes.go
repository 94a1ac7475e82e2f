package moses

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// none stands for the character before the first of a line and for that after the last.
const none rune = -1

// isAlpha is \p{IsAlpha} of Perl, the Unicode property Alphabetic.
func isAlpha(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_Alphabetic)
}

// isAlnum is \p{IsAlnum} of Perl: Alphabetic, or a decimal digit.
func isAlnum(r rune) bool { return isAlpha(r) || unicode.IsDigit(r) }

// isNumber reports whether r is in \p{IsN} of Perl and part of a word. Other numbers, such
// as ², are words of their own: what their neighbours meet is the space beside them.
func isNumber(r rune) bool { return unicode.IsNumber(r) && isAlnum(r) }

// isLower is \p{IsLower} of Perl, the Unicode property Lowercase.
func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

// firstRune returns none if the text is empty.
func firstRune(text string) rune {
	if text == "" {
		return none
	}
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// lastRune returns none if the text is empty.
func lastRune(text string) rune {
	if text == "" {
		return none
	}
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// valid returns the text with one U+FFFD for each run of bytes that are no UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }
