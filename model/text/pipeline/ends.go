package pipeline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ends returns where the words of a line begin and end. Before them are white space, symbols, and the marks of lists,
// quotations and titles in plain text; after them, white space, symbols and smileys. A line without letters, digits
// and copied spans has no words, and all of it is before them.
func (p Pipeline) ends(line string) (from, to int) {
	if p.settings.Language == "" {
		return 0, len(line)
	}
	marks := plainMark
	if p.settings.Language == "en" || p.settings.Language == "fr" {
		marks = numberedMark
	}
	rest := strings.TrimLeftFunc(line, isOrnament)
	for mark := marks.FindString(rest); mark != ""; mark = marks.FindString(rest) {
		rest = strings.TrimLeftFunc(rest[len(mark):], isOrnament)
	}
	if !strings.ContainsFunc(rest, isWordRune) && p.copied.Find(rest) == nil {
		return len(line), len(line)
	}
	from = len(line) - len(rest)
	for end := ""; ; {
		rest = strings.TrimRightFunc(strings.TrimSuffix(rest, end), isOrnament)
		if end = smiley.FindString(rest[max(0, len(rest)-longestSmiley):]); end == "" {
			return from, from + len(rest)
		}
	}
}

// Marks at the beginning of a line, and smileys at its end. In German and unknown languages, a number with a full stop
// may be an ordinal number.
const (
	keycap        = `[0-9#*]\x{fe0f}?\x{20e3}`
	listMark      = `(?:[-+*•‣◦·–—]|>+|#{1,6}|\[[ xX]?\]|[0-9]{1,3}\))[\s\pZ]`
	longestSmiley = 12
)

var (
	plainMark    = regexp.MustCompile(`^(?:` + keycap + `|` + listMark + `)`)
	numberedMark = regexp.MustCompile(`^(?:` + keycap + `|` + listMark + `|[0-9]{1,3}\.[\s\pZ])`)
	smiley       = regexp.MustCompile(`[\s\pZ](?:[:;=]['’]?-?[()DPpOo/|*]+|<3|\^\^|[xX]D)$`)
)

// isSymbol reports whether a word consists of symbols or is a smiley.
func isSymbol(word string) bool {
	return strings.TrimLeftFunc(word, isOrnament) == "" || strings.ContainsAny(word[:1], ":;=<^xX") && smiley.MatchString(" "+word)
}

// isOrnament reports whether a character at an end of a line is white space, a control character, a symbol or part of one.
func isOrnament(r rune) bool {
	switch {
	case r == utf8.RuneError: // bytes that are not UTF-8
		return false
	case isSpaceOrControl(r), unicode.Is(unicode.So, r), '←' <= r && r <= '⇿':
		return true
	}
	const joiner, textStyle, emojiStyle, keycap = '\u200d', '\ufe0e', '\ufe0f', '\u20e3'
	isSkin, isTag := '\U0001f3fb' <= r && r <= '\U0001f3ff', '\U000e0020' <= r && r <= '\U000e007f'
	return r == joiner || r == textStyle || r == emojiStyle || r == keycap || isSkin || isTag
}
