package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote returns s with escapes as in Go for what a terminal would not print: control characters,
// which could send it commands, format characters such as a reversal of the direction, and invalid
// UTF-8. Strings from files and flags are printed like this.
func Quote(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case strconv.IsGraphic(r):
			b.WriteString(s[:n])
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		s = s[n:]
	}
	return b.String()
}
