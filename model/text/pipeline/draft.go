package pipeline

import (
	_ "embed"
	"slices"
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
// of, both. These are the canonical compositions of Unicode but for Hangul.
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

// A draft is a line on its way to a [Reading].
type draft struct {
	view
	language string
	line     string
	from, to int     // of the text: what the words stand for
	spans    []found // in order
	tokens   []draftToken
	letters  letterCase // of the line: lower, first or capitals
}

// A draftToken is a word, a punctuation mark or a span.
type draftToken struct {
	text     string // behind the character of its case, with joiners; as it is in the text if it is a span
	from, to int    // of the text; equal for one that is not there as it is
	span     *found // nil for a word or a mark
}

// draft returns a line with its spans.
func (p Pipeline) draft(line string) *draft {
	d := &draft{view: canonical(p.settings.Language, line), language: p.settings.Language, line: line}
	d.to, d.spans = len(d.text), find(d.language, d.text)
	if n := len(d.spans); n > 0 && d.spans[n-1].class == number && strings.HasSuffix(strings.TrimRight(d.text[:d.spans[n-1].to], " "), ".") && strings.Trim(d.text[d.spans[n-1].to:], " ") == "" {
		d.spans[n-1].to-- // a.m. at the end of a sentence
	}
	return d
}

// keepSymbols makes spans of words, outside of other spans, with @@, which would end a segment, or with a symbol such as ²,
// ½, ≤ or ©, which models read but rarely write.
func (d *draft) keepSymbols() {
	var more []found
	at := 0
	for _, next := range append(slices.Clip(d.spans), found{from: len(d.text)}) {
		from, isKept, last := at, false, rune(0) // of a word
		for i, r := range d.text[at:next.from] + "\n" {
			switch {
			case r == '@' && last == '@', r >= utf8.RuneSelf && (unicode.In(r, unicode.Sm, unicode.No, unicode.Nl) || strings.ContainsRune("©®§¶†‡‰", r)):
				isKept = true
			case r != '@' && !isWordRune(r):
				if isKept {
					more = append(more, found{from: from, to: at + i, class: code})
				}
				from, isKept = at+i+utf8.RuneLen(r), false
			}
			last = r
		}
		at = next.to
	}
	d.spans = merge(d.spans, more)
}

// key returns what is the same in a span and in its translation.
func key(c class, text string) string {
	switch c {
	case number:
		return "⟦#" + sameNumber(text)
	case name:
		_, text = uncased(text)
		return "⟦@" + strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	}
	return strings.Join(strings.Fields(text), " ")
}

// extend makes the unit of a number part of it that its translation has glued: 100 m, 100m.
func (d *draft) extend(i int, translation string) {
	to, limit := d.spans[i].to, len(d.text)
	if i+1 < len(d.spans) {
		limit = d.spans[i+1].from
	}
	unit := strings.TrimLeft(translation, "0123456789")
	if end := to + len(" "+unit); unit != "" && unit != translation && strings.HasPrefix(d.text[to:limit], " "+unit) && !isWordRune(runeAt(d.text, end)) {
		d.spans[i].to = end
	}
}

// intersect leaves two drafts the spans that both have, and gives these their keys. Numbers and code that differ are the
// same if both have equally many; otherwise intersect returns false.
func intersect(a, b *draft) bool {
	if len(a.spans)+len(b.spans) == 0 {
		return true
	}
	keep := func(d, other *draft) (kept []found, differ [loose][]int) {
		left := map[string]int{}
		for _, s := range other.spans {
			left[key(s.class, other.text[s.from:s.to])]++
		}
		for _, s := range d.spans {
			if s.key = key(s.class, d.text[s.from:s.to]); left[s.key] > 0 {
				left[s.key]--
			} else if s.class != code && s.class != number {
				continue
			} else {
				differ[s.class] = append(differ[s.class], len(kept))
			}
			kept = append(kept, s)
		}
		return kept, differ
	}
	inA, differA := keep(a, b)
	inB, differB := keep(b, a)
	agree := true
	for c := range loose {
		same := len(differA[c]) == len(differB[c])
		agree = agree && same
		for i, at := range differB[c] {
			if inB[at].key = ""; same {
				inB[at].key = inA[differA[c][i]].key
			}
		}
		for _, at := range differA[c] {
			if !same {
				inA[at].key = ""
			}
		}
	}
	isText := func(s found) bool { return s.key == "" }
	a.spans, b.spans = slices.DeleteFunc(inA, isText), slices.DeleteFunc(inB, isText)
	for i, s := range b.spans {
		if j := slices.IndexFunc(a.spans, func(other found) bool { return other.class == number && other.key == s.key }); j >= 0 {
			a.extend(j, b.text[s.from:s.to])
			b.extend(i, a.text[a.spans[j].from:a.spans[j].to])
		}
	}
	return agree
}

// A cut is a part of a draft without the spans before and after it.
type cut struct {
	from, to    int
	first, last int // spans in it
}

// ends returns a draft without white space and spans of class edge at its ends. Text without letters, digits and other
// spans has no words.
func (d *draft) ends() cut {
	c := cut{0, len(d.text), 0, len(d.spans)}
	trim := func() {
		c.from += len(d.text[c.from:c.to]) - len(strings.TrimLeft(d.text[c.from:c.to], " "))
		c.to = c.from + len(strings.TrimRight(d.text[c.from:c.to], " "))
	}
	trim()
	for c.first < c.last && d.spans[c.first].class == edge && d.spans[c.first].from == c.from {
		c.from = min(d.spans[c.first].to, c.to)
		c.first++
		trim()
	}
	for c.first < c.last && d.spans[c.last-1].class == edge && d.spans[c.last-1].to >= c.to {
		c.to = max(d.spans[c.last-1].from, c.from)
		c.last--
		trim()
	}
	if c.first == c.last && !strings.ContainsFunc(d.text[c.from:c.to], isWordRune) {
		c.from, c.to = len(d.text), len(d.text)
	}
	return c
}

func (d *draft) cut(c cut) { d.from, d.to, d.spans = c.from, c.to, d.spans[c.first:c.last] }

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|32 && r|32 <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// setCase finds out the case of the draft, and returns its first token that can have a capital, if there is one.
func (d *draft) setCase() (begin int) {
	begin = slices.IndexFunc(d.tokens, func(t draftToken) bool { return strings.ContainsFunc(t.text, isWordRune) })
	if begin < 0 {
		return begin
	}
	letters, small := 0, false
	for i := 0; i < len(d.tokens) && !small; i++ {
		if t := d.tokens[i]; t.span == nil {
			letters += lettersOf(t.text)
			small = strings.ContainsFunc(t.text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.IsUpper(r) })
		}
	}
	r, _ := utf8.DecodeRuneInString(d.tokens[begin].text[strings.IndexFunc(d.tokens[begin].text, isWordRune):])
	switch last := d.tokens[len(d.tokens)-1].text; {
	case letters > 1 && !small:
		d.letters = capitals
	case unicode.IsUpper(r), !unicode.IsLetter(r) && strings.ContainsAny(last, ".?!"):
		d.letters = first
	}
	return begin
}

// isCode reports whether a draft has nothing to translate: code and punctuation.
func (d *draft) isCode() bool {
	return !slices.ContainsFunc(d.tokens, func(t draftToken) bool {
		if t.span != nil {
			return t.span.class != code
		}
		return strings.ContainsFunc(t.text, isWordRune)
	})
}

// takeNames makes the words that are names spans.
func (d *draft) takeNames(isName func(token string) bool) {
	for i, t := range d.tokens {
		if t.span == nil && isName(t.text) {
			d.tokens[i] = draftToken{d.text[t.from:t.to], t.from, t.to, &found{class: name, key: CapitalKey(t.text)}}
		}
	}
}

// number gives the spans their placeholders, and returns the placeholders of each key in order.
func (d *draft) number() map[string][]string {
	queues := map[string][]string{}
	var counts [loose]int
	for _, t := range d.tokens {
		if s := t.span; s != nil {
			s.placeholder = placeholder(s.class, counts[s.class])
			counts[s.class]++
			queues[s.key] = append(queues[s.key], s.placeholder)
		}
	}
	return queues
}

// follow makes capitalized words spans that the draft which this one translates has as names, and gives the spans its
// placeholders.
func (d *draft) follow(queues map[string][]string) {
	if len(queues) == 0 {
		return
	}
	taken := map[string]int{}
	for _, t := range d.tokens {
		if t.span != nil {
			taken[t.span.key]++
		}
	}
	d.takeNames(func(token string) bool {
		k := CapitalKey(token)
		if k == "" || taken[k] == len(queues[k]) {
			return false
		}
		taken[k]++
		return true
	})
	for _, t := range d.tokens {
		if s := t.span; s != nil {
			s.placeholder, queues[s.key] = queues[s.key][0], queues[s.key][1:]
		}
	}
}

// placeholder returns the word for the span that is number i of its class.
func placeholder(c class, i int) string {
	return "⟦" + [...]string{code: "", number: "#", name: "@"}[c] + strconv.Itoa(i%MaxPlaceholders+1) + "⟧"
}

func isPlaceholder(token string) bool { return strings.HasPrefix(token, "⟦") }

// texts returns the tokens as [Pipeline.Segment] takes them.
func (d *draft) texts() []string {
	list := make([]string, len(d.tokens))
	for i, t := range d.tokens {
		if list[i] = t.text; t.span != nil {
			list[i] = t.span.placeholder
		}
	}
	return list
}

// reading returns the draft, whose spans have placeholders, as words.
func (p Pipeline) reading(d *draft) Reading {
	r := Reading{Line: d.line, language: d.language, from: d.place(d.from), to: d.place(d.to), letters: d.letters}
	for _, t := range d.tokens {
		token := Token{Bytes: [2]int{d.place(t.from), d.place(t.to)}}
		token.Text = d.line[token.Bytes[0]:token.Bytes[1]]
		token.Words[0] = len(r.Words)
		if s := t.span; s != nil {
			r.Spans = append(r.Spans, Span{token.Text, s.target, s.class, s.placeholder})
			r.Words, token.Span = append(r.Words, s.placeholder), len(r.Spans)
		} else {
			r.Words = p.appendSegments(r.Words, t.text)
		}
		token.Words[1] = len(r.Words)
		r.Tokens = append(r.Tokens, token)
	}
	r.Words = slices.Clip(r.Words)
	return r
}
