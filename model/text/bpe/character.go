package bpe

import "unicode/utf8"

const (
	mark  = "</w>" // ends the last symbol of a word
	joint = "@@"   // ends the segments of a word but the last
)

// character returns the length of the first character of s: a code point in UTF-8, or a
// byte that belongs to none.
func character(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
