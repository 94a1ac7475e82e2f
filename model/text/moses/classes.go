package moses

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// none takes the place of the character before the first and after the last one of a line.
const none rune = -1

// isAlpha is Perl's \p{IsAlpha}, the Unicode property Alphabetic.
func isAlpha(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_Alphabetic)
}

// isAlnum is Perl's \p{IsAlnum}: Alphabetic or a decimal digit.
func isAlnum(r rune) bool { return isAlpha(r) || unicode.IsDigit(r) }

// isNumber reports whether r is in Perl's \p{IsN} and part of a word. Other numbers, such as ²,
// are isolated, so their neighbors see the space beside them.
func isNumber(r rune) bool { return unicode.IsNumber(r) && isAlnum(r) }

// isLower is Perl's \p{IsLower}, the Unicode property Lowercase.
func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

// firstRune returns the first character of text, none if text is empty.
func firstRune(text string) rune {
	if text == "" {
		return none
	}
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// lastRune returns the last character of text, none if text is empty.
func lastRune(text string) rune {
	if text == "" {
		return none
	}
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// toValidUTF8 returns text with each run of bytes that are not UTF-8 replaced by one U+FFFD.
func toValidUTF8(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }
