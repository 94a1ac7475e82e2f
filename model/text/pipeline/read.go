package pipeline

import (
	"errors"
	"slices"
	"strings"
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
// placeholders for all spans, names and terms, without the marks and symbols at its ends. Nil is no terms. A line
// hardly a word of which is one of the language is foreign, and has no words, as code and punctuation alone.
func (p Pipeline) Read(line string, terms *Terms) Reading {
	if p.settings.Rules != Reversible {
		return p.plain(line)
	}
	d := p.draft(line)
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
