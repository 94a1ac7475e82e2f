package pipeline

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A view is text that stands for a line, and where its parts are in the line.
type view struct {
	text string
	at   []int // the byte of the line for each byte of text and for its end; nil if they are the same
}

// place returns the byte of the line for a byte of the text.
func (v view) place(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// canonical returns a line as a language is read: letters and their marks composed, ligatures and full-width forms
// folded, quotation marks and apostrophes straight but for French « », every white space a space, ⟦⟧￭ as []■, and
// control and format characters absent. A run of bytes that are not UTF-8 is U+FFFD.
func canonical(language, line string) view {
	if strings.IndexFunc(line, func(r rune) bool { return !isCanonical(r) }) < 0 {
		return view{text: line}
	}
	b, at := make([]byte, 0, len(line)), make([]int, 0, len(line)+1)
	add := func(s string, from int) {
		for range len(s) {
			at = append(at, from)
		}
		b = append(b, s...)
	}
	invalid := false
	for i, r := range line {
		if isCanonical(r) {
			add(line[i:i+utf8.RuneLen(r)], i)
			invalid = false
			continue
		}
		_, size := utf8.DecodeRuneInString(line[i:])
		wasInvalid := invalid
		if invalid = r == utf8.RuneError && size == 1; invalid && wasInvalid {
			continue
		}
		if last, n := utf8.DecodeLastRune(b); r >= 0x300 && n > 0 && last >= 'A' {
			if composed, found := compositions()[[2]rune{last, r}]; found {
				from := at[len(b)-n]
				b, at = b[:len(b)-n], at[:len(b)-n]
				add(string(composed), from)
				continue
			}
		}
		add(folded(language, r), i)
	}
	return view{string(b), append(at, len(line))}
}

// isCanonical reports whether a character is read as itself, whatever is before it.
func isCanonical(r rune) bool { return ' ' <= r && r <= '~' || 'À' <= r && r <= 'ʯ' }

// folded returns what a character is read as.
func folded(language string, r rune) string {
	switch {
	case unicode.IsSpace(r):
		return " "
	case r < ' ' || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r):
		return ""
	case r < utf8.RuneSelf:
		return string(r)
	case strings.ContainsRune("‘’‚‛ʼ´", r):
		return "'"
	case strings.ContainsRune("“”„‟", r), language != "fr" && strings.ContainsRune("«»", r):
		return `"`
	case r == '⟦':
		return "["
	case r == '⟧':
		return "]"
	case r == '￭':
		return "■"
	case 'ﬀ' <= r && r <= 'ﬆ':
		return [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}[r-'ﬀ']
	case '！' <= r && r <= '～':
		return string(r - '！' + '!')
	}
	return string(r)
}

// compositionTable has a line for each combining mark: its number and then, for each character that it makes another one
// of, both. These are the canonical compositions of Unicode, those of Hangul aside.
//
//go:embed compositions.txt
var compositionTable string

var compositions = sync.OnceValue(func() map[[2]rune]rune {
	table := map[[2]rune]rune{}
	for line := range strings.Lines(compositionTable) {
		number, pairs, _ := strings.Cut(strings.TrimSpace(line), " ")
		mark, err := strconv.ParseUint(number, 16, 32)
		if err != nil {
			panic(err)
		}
		list := []rune(pairs)
		for i := 0; i < len(list); i += 2 {
			table[[2]rune{list[i], rune(mark)}] = list[i+1]
		}
	}
	return table
})
