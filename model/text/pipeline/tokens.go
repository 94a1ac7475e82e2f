package pipeline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// joiner stands at the side of a word where no space divides it from the next one, as in OpenNMT's Tokenizer (Klein et
// al. 2017): which side of a mark a language spaces is learned.
const joiner = "￭"

// tokenize divides a draft into spans, words and punctuation marks with joiners, in lower case behind their case. A
// translation keeps its apostrophes as they are in the line.
func (d *draft) tokenize(isTranslation bool) {
	spans := d.spans
	d.tokens = make([]draftToken, 0, (d.to-d.from)/4+1)
	for at := d.from; at < d.to; {
		end := d.to
		if len(spans) > 0 {
			end = spans[0].from
		}
		if at == end {
			s := &spans[0]
			if s.class >= loose {
				s.class = code
			}
			if n := len(d.tokens); n > 0 && d.tokens[n-1].span != nil && d.tokens[n-1].to == at {
				d.tokens = append(d.tokens, draftToken{text: joiner, from: at, to: at})
			}
			d.tokens, spans, at = append(d.tokens, draftToken{d.text[at:s.to], at, s.to, s}), spans[1:], s.to
			continue
		}
		if d.text[at] == ' ' {
			at++
			continue
		}
		to := at + d.tokenLength(at, end)
		t := draftToken{text: d.text[at:to], from: at, to: to}
		if isTranslation && strings.Contains(t.text, "'") {
			t.text = d.typeset(at, to)
		}
		d.tokens, at = append(d.tokens, t), to
	}
	d.spell(d.setCase())
}

// spell writes the words and marks in lower case, behind the character of their case, with joiners: at a mark behind a
// word, at a mark or an elision before one, and at what is beside a span.
func (d *draft) spell(begin int) {
	for i := range d.tokens {
		t := &d.tokens[i]
		if t.span != nil || t.from == t.to {
			continue
		}
		c, text := lower, t.text
		if d.letters == capitals {
			text = strings.ToLower(text)
		} else {
			c, text = caseOf(d.language, text, i == begin)
		}
		if i > 0 && d.tokens[i-1].to == t.from && (d.tokens[i-1].span != nil || leansBack(t.text)) {
			text = joiner + text
		}
		if next := i + 1; next < len(d.tokens) && d.tokens[next].from == t.to && (d.tokens[next].span != nil || !leansBack(d.tokens[next].text)) {
			text += joiner
		}
		if c != lower {
			text = string(rune(c)) + text
		}
		t.text = text
	}
}

// typeset returns text with its apostrophes as they are in the line.
func (d *draft) typeset(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		if d.text[i] == '\'' && strings.HasPrefix(d.line[d.place(i):], "’") {
			b.WriteString("’")
		} else {
			b.WriteByte(d.text[i])
		}
	}
	return b.String()
}

// tokenLength returns the length of the token that begins at a byte of the text, before the next span at end. A mark is a
// token of its own, or with equal ones. An apostrophe between letters begins a word in English (don 't), ends one in
// French (l' homme) and is inside one elsewhere, also in O'Brien. A hyphen between letters, and full stops between single
// ones (p.m.), are inside, too.
func (d *draft) tokenLength(at, end int) int {
	text := d.text[at:end]
	r, size := utf8.DecodeRuneInString(text)
	switch before, _ := utf8.DecodeLastRuneInString(d.text[d.from:at]); {
	case isPart(r):
	case r == '\'' && d.language == "en" && isPart(before) && isPart(runeAt(text, 1)):
		return len(text) - len(strings.TrimLeftFunc(text[1:], isPart))
	default:
		return len(text) - len(strings.TrimLeftFunc(text, func(other rune) bool { return other == r }))
	}
	letters, dots := 1, 0 // since the last full stop
	for i := size; i < len(text); i += size {
		r, size = utf8.DecodeRuneInString(text[i:])
		if isPart(r) {
			letters++
			continue
		}
		switch next := runeAt(text, i+size); {
		case r == '-' && isPart(next):
			letters++
			continue
		case r == '\'' && d.language == "fr" && slices.Contains(elisions, strings.ToLower(text[:i])):
			return i + 1
		case r == '\'' && letters == 1 && unicode.IsUpper(next) && unicode.IsLower(runeAt(text, i+1+utf8.RuneLen(next))):
			letters++
			continue
		case r == '\'' && d.language == "fr" && (isPart(next) || i+1 == len(text) && end < d.to):
			return i + 1
		case r == '\'' && d.language != "en" && isPart(next):
			continue
		case r == '.' && letters == 1 && isPart(next) && !isPart(runeAt(text, i+1+utf8.RuneLen(next))):
			letters, dots = 0, dots+1
			continue
		case r == '.' && letters == 1 && dots > 0:
			return i + 1
		}
		return i
	}
	return len(text)
}

// elisions are French words before an apostrophe.
var elisions = []string{"l", "d", "qu", "n", "s", "c", "j", "m", "t", "lorsqu", "puisqu", "jusqu", "quoiqu"}

// isPart reports whether a character is part of words.
func isPart(r rune) bool { return isWordRune(r) || r == '_' || r >= utf8.RuneSelf && unicode.IsMark(r) }

// runeAt returns the character at a byte of text, U+FFFD after its end.
func runeAt(text string, i int) rune {
	r, _ := utf8.DecodeRuneInString(text[min(i, len(text)):])
	return r
}

// leansBack reports whether a token is a mark or an English contraction.
func leansBack(token string) bool {
	return strings.HasPrefix(token, "'") || strings.HasPrefix(token, "’") || !strings.ContainsFunc(token, isWordRune)
}

// A letterCase is how a token is written. Its character stands before tokens in lower case that a vocabulary counts.
type letterCase byte

const (
	lower    letterCase = iota
	first               // a capital at the beginning of a sentence, which words do not show
	capital             // a capital at the beginning
	parts               // at the beginning of each part of a compound with hyphens or apostrophes
	capitals            // everywhere
)

// marks are the words before words that are not in lower case.
var marks = [...]string{lower: "", first: "", capital: "⇧", parts: "⇈", capitals: "⇪"}

// markOf returns the case that a word is the mark of, lower for other words.
func markOf(word string) letterCase {
	if strings.HasPrefix(word, "⇧") || strings.HasPrefix(word, "⇈") || strings.HasPrefix(word, "⇪") {
		return letterCase(max(0, slices.Index(marks[:], word)))
	}
	return lower
}

// caseOf returns the case of a token and the token in lower case. One that no case makes of lower case stays as it is.
// The English I is always a capital.
func caseOf(language, token string, isFirst bool) (letterCase, string) {
	if !strings.ContainsFunc(token, unicode.IsUpper) {
		return lower, token
	}
	small := strings.ToLower(token)
	for _, c := range [...]letterCase{capital, capitals, parts} {
		if c.of(small) != token {
			continue
		}
		switch {
		case language == "en" && token == "I":
			c = lower
		case c == capital && isFirst:
			c = first
		}
		return c, small
	}
	return lower, token
}

// uncased returns the case of a token and the token in lower case.
func uncased(token string) (letterCase, string) {
	if len(token) > 1 && token[0] <= byte(capitals) {
		return letterCase(token[0]), token[1:]
	}
	return lower, token
}

// of returns a token in lower case as it is written.
func (c letterCase) of(token string) string {
	switch c {
	case first, capital:
		return upperFirst(token)
	case capitals:
		return strings.ToUpper(token)
	case parts:
		begins := true
		return strings.Map(func(r rune) rune {
			if begins && isWordRune(r) {
				begins = false
				return unicode.ToUpper(r)
			}
			begins = begins || r == '-' || r == '\''
			return r
		}, token)
	}
	return token
}

// upperFirst returns a word with a capital as its first letter, unless a digit is before it.
func upperFirst(word string) string {
	i := strings.IndexFunc(word, isWordRune)
	if i < 0 {
		return word
	}
	r, n := utf8.DecodeRuneInString(word[i:])
	return word[:i] + string(unicode.ToUpper(r)) + word[i+n:]
}
