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
	for at := d.from; at < d.to; {
		end := d.to
		if len(spans) > 0 {
			end = spans[0].from
		}
		if at == end {
			s := spans[0]
			t := draftToken{text: d.text[at:s.to], from: at, to: s.to, isSpan: true, class: s.class, key: s.key}
			if s.class >= loose {
				t.class = code
			}
			d.tokens, spans, at = append(d.tokens, t), spans[1:], s.to
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
	d.lowercase()
	d.join()
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
	before, _ := utf8.DecodeLastRuneInString(d.text[d.from:at])
	switch {
	case isPart(r):
	case r == '\'' && d.language == "en" && isPart(before) && isPart(runeAt(text, 1)):
		return len(text) - len(strings.TrimLeftFunc(text[1:], isPart))
	default:
		return len(text) - len(strings.TrimLeftFunc(text, func(other rune) bool { return other == r }))
	}
	letters, dots := 1, 0 // since the last full stop
	for i := size; i < len(text); i += size {
		r, size = utf8.DecodeRuneInString(text[i:])
		next := runeAt(text, i+size)
		switch {
		case isPart(r):
			letters++
			continue
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
func isPart(r rune) bool { return isWordRune(r) || r == '_' || unicode.IsMark(r) }

// runeAt returns the character at a byte of text, U+FFFD after its end.
func runeAt(text string, i int) rune {
	r, _ := utf8.DecodeRuneInString(text[min(i, len(text)):])
	return r
}

// join adds the joiners: to a mark behind a word, to a mark or an elision before one, to a word beside a span, and as a
// token between two spans.
func (d *draft) join() {
	tokens := make([]draftToken, 0, len(d.tokens))
	for i, t := range d.tokens {
		if i > 0 && d.tokens[i-1].to == t.from {
			switch last := &tokens[len(tokens)-1]; {
			case !t.isSpan && (last.isSpan || leansBack(t.text)):
				c, word := uncased(t.text)
				if t.text = joiner + word; c != lower {
					t.text = string(rune(c)) + t.text
				}
			case !last.isSpan:
				last.text += joiner
			default:
				tokens = append(tokens, draftToken{text: joiner, from: t.from, to: t.from})
			}
		}
		tokens = append(tokens, t)
	}
	d.tokens = tokens
}

// leansBack reports whether a token is a mark or an English contraction.
func leansBack(token string) bool {
	_, word := uncased(token)
	return !strings.ContainsFunc(word, isWordRune) || strings.HasPrefix(word, "'") || strings.HasPrefix(word, "’")
}
