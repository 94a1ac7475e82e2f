package moses

import (
	"strings"
	"unicode/utf8"
)

// valid returns the text with one U+FFFD for each run of bytes that are no UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }
