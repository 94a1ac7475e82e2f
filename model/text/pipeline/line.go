package pipeline

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/model/text/moses"
)

// A Reading is a line as a model reads it. Without a language, the words are [text.Tokens].
type Reading struct {
	Line    string
	Words   []string // segments, marks of case and placeholders; none is empty or has ASCII white space
	Tokens  []Token  // of the line, in order
	Spans   []Span   // what placeholders stand for, in order
	Foreign bool     // hardly a word is one of the language: a translation is the line itself

	language string
	from, to int // bytes of the line that the words stand for
	letters  letterCase
}

// A Token is a word of text, a punctuation mark or a span.
type Token struct {
	Text  string // of the line
	Words [2]int // that stand for it: the first one, and the one after the last
	Bytes [2]int // of the line; empty for a token that is not there as it is
	Span  int    // its number in Reading.Spans, from 1; 0 for other tokens
}

// A Span is text that a translation keeps.
type Span struct {
	Text   string // as it is in the line
	Target string // what a translation has for it, if it belongs to a term

	class       class
	placeholder string
}

// MaxPlaceholders is the number of placeholders of each class. The spans beyond begin with the first one again.
const MaxPlaceholders = 12

// Placeholders returns the words that stand for spans, by class and number: none without [Reversible] rules.
func (p Pipeline) Placeholders() (list []string) {
	if p.settings.Rules != Reversible {
		return nil
	}
	for c := range loose {
		for i := range MaxPlaceholders {
			list = append(list, placeholder(c, i))
		}
	}
	return list
}

// NamePlaceholders returns the placeholders of names by number.
func (p Pipeline) NamePlaceholders() []string {
	list := p.Placeholders()
	return list[max(0, len(list)-MaxPlaceholders):]
}

// Reserved returns the words that a vocabulary has in any case: placeholders and marks of case.
func (p Pipeline) Reserved() []string {
	list := p.Placeholders()
	for _, mark := range marks {
		if mark != "" && list != nil {
			list = append(list, mark)
		}
	}
	return list
}

// Read returns a line, which may be any sequence of bytes, as a translation model reads it: canonical, with
// placeholders for all spans, names and terms, without the marks and symbols at its ends. Words with symbols, such as
// m², are spans here, not in training. Nil is no terms. A line hardly a word of which is one of the language is foreign,
// and has no words, as code and punctuation alone.
func (p Pipeline) Read(line string, terms *Terms) Reading {
	if p.settings.Rules != Reversible {
		return p.plain(line)
	}
	d := p.draft(line)
	d.keepSymbols()
	d.cut(d.ends())
	d.tokenize(false)
	terms.take(d)
	d.takeNames(p.IsName)
	if foreign := p.isForeign(d); foreign || d.isCode() {
		return Reading{Line: line, Foreign: foreign, language: d.language, from: len(line), to: len(line)}
	}
	d.number()
	return p.reading(d)
}

// ErrSpans is the error of a pair of lines with different numbers or code, which no model can learn to keep.
var ErrSpans = errors.New("different numbers or code")

// ReadPair returns two lines as in training: placeholders stand for the spans that both have. The error wraps [ErrSpans]
// if only one of them has a number or code.
func ReadPair(source, target Pipeline, sourceLine, targetLine string) (s, t Reading, err error) {
	a, b, err := draftPair(source, target, sourceLine, targetLine)
	if a == nil {
		return source.plain(sourceLine), target.plain(targetLine), nil
	}
	isCommon := commonNames(a, b)
	a.takeNames(func(token string) bool { return source.IsName(token) && isCommon(token) })
	queues := a.number()
	b.follow(queues)
	return source.reading(a), target.reading(b), err
}

// TokenizePair returns the tokens of two lines before the names are known. [Pipeline.Segment] makes the words of
// ReadPair of them.
func TokenizePair(source, target Pipeline, sourceLine, targetLine string) (s, t []string, err error) {
	a, b, err := draftPair(source, target, sourceLine, targetLine)
	if a == nil {
		return source.Tokenize(sourceLine), target.Tokenize(targetLine), nil
	}
	b.follow(a.number())
	return a.texts(), b.texts(), err
}

// draftPair returns the tokens of two lines with the spans of both, nil unless both have [Reversible] rules.
func draftPair(source, target Pipeline, sourceLine, targetLine string) (a, b *draft, err error) {
	if source.settings.Rules != Reversible || target.settings.Rules != Reversible {
		return nil, nil, nil
	}
	a, b = source.draft(sourceLine), target.draft(targetLine)
	if !intersect(a, b) {
		err = ErrSpans
	}
	isSame := func(a, b []found) bool {
		return slices.EqualFunc(a, b, func(a, b found) bool { return a.key == b.key })
	}
	if x, y := a.ends(), b.ends(); isSame(a.spans[:x.first], b.spans[:y.first]) && isSame(a.spans[x.last:], b.spans[y.last:]) {
		a.cut(x)
		b.cut(y)
	}
	a.tokenize(false)
	b.tokenize(true)
	return a, b, err
}

// ReadTranslation returns a line that translates a reading: its placeholders stand for what the line has of the spans.
func (p Pipeline) ReadTranslation(line string, of Reading) Reading {
	if p.settings.Rules != Reversible {
		return p.plain(line)
	}
	d := p.draft(line)
	d.keepSymbols()
	before, after := canonical(d.language, of.Line[:of.from]).text, canonical(d.language, of.Line[of.to:]).text
	if len(before)+len(after) <= len(d.text) && strings.HasPrefix(d.text, before) && strings.HasSuffix(d.text, after) {
		d.from, d.to = len(before), len(d.text)-len(after)
	}
	queues, left := map[string][]string{}, map[string]int{}
	var targets []string // of terms, each once
	for _, s := range of.Spans {
		k := key(s.class, canonical(of.language, s.Text).text)
		if s.Target != "" {
			target := canonical(d.language, s.Target).text
			if k = key(name, target); left[k] == 0 {
				targets = append(targets, target)
			}
		}
		queues[k] = append(queues[k], s.placeholder)
		left[k]++
	}
	var spans []found
	for _, target := range targets {
		k := key(name, target)
		var more []found
		for from := d.from; left[k] > 0; left[k]-- {
			i := strings.Index(d.text[from:d.to], target)
			if i < 0 {
				break
			}
			from += i + len(target)
			more = append(more, found{from: from - len(target), to: from, class: name, key: k})
		}
		spans = merge(spans, more)
	}
	var more []found
	for _, s := range d.spans {
		if s.key = key(s.class, d.text[s.from:s.to]); left[s.key] > 0 && d.from <= s.from && s.to <= d.to {
			left[s.key]--
			more = append(more, s)
		}
	}
	d.spans = merge(spans, more)
	d.tokenize(true)
	d.follow(queues)
	return p.reading(d)
}

// plain returns a line without spans and case: of no language or with [Moses] rules.
func (p Pipeline) plain(line string) Reading {
	r := Reading{Line: line, language: p.settings.Language, to: len(line)}
	at := 0
	for _, token := range p.Tokenize(line) {
		t := Token{Text: token, Words: [2]int{len(r.Words), 0}, Bytes: locate(token, line, at)}
		at = t.Bytes[1]
		r.Words = p.appendSegments(r.Words, token)
		t.Words[1] = len(r.Words)
		r.Tokens = append(r.Tokens, t)
	}
	return r
}

// locate returns the bytes of a token that stands in a line behind byte at as it is, none for another one.
func locate(token, line string, at int) [2]int {
	const gap = 64 // the most bytes between two tokens
	if i := strings.Index(line[at:min(at+gap+len(token), len(line))], token); i >= 0 {
		return [2]int{at + i, at + i + len(token)}
	}
	return [2]int{at, at}
}

// A Writing is words of a model as a line.
type Writing struct {
	Line   string
	Tokens []Token // of the line, in order
	Lost   int     // spans of the source that the line lacks
}

// Write returns the line that words make which translate a reading: with its spans, in its case, between the marks and
// symbols at its ends. The words may come from a model, which can break off within a token. The zero Reading is for
// words that translate nothing.
func (p Pipeline) Write(words []string, of Reading) Writing {
	var line strings.Builder
	line.WriteString(strings.TrimLeftFunc(of.Line[:of.from], isSpaceOrControl))
	w := Writing{Lost: len(of.Spans)}
	if p.settings.Rules == Reversible {
		w.Tokens = p.join(words, of, &line)
	} else {
		w.Tokens = p.detokenize(words, &line)
	}
	for _, t := range w.Tokens {
		if t.Span > 0 {
			w.Lost--
		}
	}
	line.WriteString(strings.TrimRightFunc(of.Line[of.to:], isSpaceOrControl))
	w.Line = line.String()
	if len(w.Tokens) == 0 {
		w.Line = strings.TrimRightFunc(w.Line, isSpaceOrControl)
	}
	return w
}

func isSpaceOrControl(r rune) bool { return r < ' ' || unicode.IsSpace(r) }

// join writes the tokens that words make. Placeholders that stand for nothing make none.
func (p Pipeline) join(words []string, of Reading, line *strings.Builder) (tokens []Token) {
	spans := of.byPlaceholder()
	begun, isJoined := false, true
	for from := 0; from < len(words); {
		c, at := lower, from
		for at < len(words)-1 && markOf(words[at]) != lower {
			c = markOf(words[at])
			at++
		}
		to := at + 1
		for p.segmenter != nil && to < len(words) && strings.HasSuffix(words[to-1], separator) && !isPlaceholder(words[to]) && markOf(words[to]) == lower {
			to++
		}
		t := Token{Words: [2]int{from, to}}
		from = to
		joinsNext := false
		if isPlaceholder(words[at]) {
			list := spans[words[at]]
			if len(list) == 0 {
				continue
			}
			t.Span, spans[words[at]] = list[0], list[1:]
			t.Text = of.kept(of.Spans[t.Span-1], p.settings.Language)
		} else {
			word := strings.TrimSuffix(strings.Join(p.Join(words[at:to]), ""), separator)
			isJoined, joinsNext = isJoined || strings.HasPrefix(word, joiner), strings.HasSuffix(word, joiner)
			t.Text = strings.ReplaceAll(word, joiner, "")
		}
		if t.Text == "" {
			isJoined = isJoined || joinsNext
			continue
		}
		isFirst := !begun && strings.ContainsFunc(t.Text, isWordRune)
		begun = begun || isFirst
		t.Text = p.written(t, c, isFirst, of)
		if !isJoined {
			line.WriteByte(' ')
		}
		isJoined = joinsNext
		t.Bytes[0] = line.Len()
		line.WriteString(t.Text)
		t.Bytes[1] = line.Len()
		tokens = append(tokens, t)
	}
	return tokens
}

// detokenize writes words as the scripts of Moses join them, or with spaces if p has no language. A token that the scripts
// change is not there.
func (p Pipeline) detokenize(words []string, line *strings.Builder) (tokens []Token) {
	joined := ""
	texts := p.Join(words)
	if p.settings.Language == "" {
		joined = strings.Join(texts, " ")
	} else {
		joined = moses.Detokenizer{Language: p.settings.Language}.Detokenize(texts)
	}
	at, from := line.Len(), 0
	line.WriteString(joined)
	for _, text := range texts {
		t := Token{Text: text, Words: [2]int{from, from + 1}}
		for p.segmenter != nil && t.Words[1] < len(words) && strings.HasSuffix(words[t.Words[1]-1], separator) {
			t.Words[1]++
		}
		from = t.Words[1]
		t.Bytes = locate(text, line.String(), at)
		at = t.Bytes[1]
		tokens = append(tokens, t)
	}
	return tokens
}

// byPlaceholder returns the numbers of the spans, from 1, in the order in which each placeholder stands for them.
func (r Reading) byPlaceholder() map[string][]int {
	spans := map[string][]int{}
	for i, s := range r.Spans {
		spans[s.placeholder] = append(spans[s.placeholder], i+1)
	}
	return spans
}

// written returns the text of a token in its case.
func (p Pipeline) written(t Token, c letterCase, isFirst bool, of Reading) string {
	isTerm := t.Span > 0 && of.Spans[t.Span-1].Target != ""
	switch {
	case t.Text == "</s>" || t.Text == "<unk>" || t.Span > 0 && !isTerm:
		return t.Text
	case of.letters == capitals && !isTerm:
		return strings.ToUpper(t.Text)
	case isFirst && (of.letters == first || of.Line == ""):
		if c <= first {
			c = capital
		}
	case p.settings.Language == "en" && t.Text == "i":
		c = capital
	}
	return c.of(t.Text)
}

// kept returns what a translation in a language has for a span.
func (r Reading) kept(s Span, language string) string {
	switch {
	case s.Target != "":
		return s.Target
	case s.class == number:
		return converted(s.Text, r.language, language)
	}
	return s.Text
}

// Shown returns the words of a reading for display: the text of spans in place of placeholders, with no-break spaces.
func (r Reading) Shown() []string {
	return Pipeline{settings: Settings{Language: r.language}}.Shown(r.Words, r)
}

// Shown returns words that translate a reading, or are of its language, as its own method does.
func (p Pipeline) Shown(words []string, of Reading) []string {
	spans := of.byPlaceholder()
	list := slices.Clone(words)
	for i, word := range words {
		if left := spans[word]; len(left) > 0 {
			s := of.Spans[left[0]-1]
			if list[i], spans[word] = s.Text, left[1:]; p.settings.Language != of.language {
				list[i] = of.kept(s, p.settings.Language)
			}
			list[i] = strings.Join(strings.Fields(list[i]), "\u00a0")
		}
	}
	return list
}
