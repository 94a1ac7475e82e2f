// Package pipeline reads a line of text as the words that a translation model learns from, and writes the words of a
// model as a line. For new models there is one way through it, by [Reversible] rules:
//
//	line       My sister Oluwaseun paid $19.99！
//	canonical  My sister Oluwaseun paid $19.99!     letters composed, quotation marks straight, nothing invisible
//	spans      My sister Oluwaseun paid ⟦#1⟧!       what stays whole: numbers, code, URLs, symbols, …
//	tokens     my sister ⇧ oluwaseun paid ⟦#1⟧ ￭!   case is beside the words, ￭ where there is no space
//	names      my sister ⟦@1⟧ paid ⟦#1⟧ ￭!          capitalized words that are rare in the training text
//	words      my sister ⟦@1⟧ pa@@ id ⟦#1⟧ ￭!       package bpe
//
// [Pipeline.Read] goes this way and [Pipeline.Write] back: a translation "ma sœur ⟦@1⟧ a payé ⟦#1⟧ !" of that [Reading]
// becomes "Ma sœur Oluwaseun a payé 19,99 $ !". Canonical text is for the model alone: spans come back as they were
// written, but for the separators and signs of numbers, which a table turns into the other language's. A term, of
// [Pipeline.NewTerms], is a span with another target. [Pipeline.Sentences] divides a line before that, and
// [Pipeline.ReadTranslation] reads a translation that exists. [ReadPair] reads a pair for training, where only what both
// lines have is a span, and [TokenizePair] as far as the tokens, before words are counted.
//
// The joiner ￭ is at the side of a token that no space divides from its neighbor: which marks a language spaces is
// learned, and Write puts spaces elsewhere only. A word in lower case stands for itself, ⇧ is before a word with a capital, ⇈ before a compound of such words, and ⇪
// before one in capitals. The first word of a sentence, and a line in capitals, have no mark: Write takes their case
// from the source.
//
// The other rules are [Moses], for experiments, and tokenized text, for the zero Pipeline: tokens are
// divided into words and joined again, without spans and case. A [Pipeline] is for one language. It is made from
// [Settings] or read from JSON.
package pipeline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/moses"
)

// A Pipeline converts between the lines and the words of one language. It is immutable and safe for concurrent use. The
// zero value splits lines at ASCII white space and joins words with spaces.
type Pipeline struct {
	settings  Settings
	segmenter *bpe.Segmenter  // nil if tokens are words
	known     map[string]bool // words that are no names; nil if there are none
}

// IsZero reports whether p is the zero value.
func (p Pipeline) IsZero() bool { return p.settings.Language == "" && p.segmenter == nil }

// Equal reports whether p and q have equal settings, and so the same results.
func (p Pipeline) Equal(q Pipeline) bool {
	a, b := p.settings, q.settings
	same := func(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
	return a.Language == b.Language && a.Lowercase == b.Lowercase && a.Rules == b.Rules && same(a.Known, b.Known) &&
		(a.Codes == nil) == (b.Codes == nil) && slices.Equal(a.Codes, b.Codes) && same(a.Segments, b.Segments)
}

// Settings returns the settings of p, which [New] turns into an equal pipeline.
func (p Pipeline) Settings() Settings { return p.settings.clone() }

// Language returns the language of p, empty if its text is tokenized already.
func (p Pipeline) Language() string { return p.settings.Language }

// Tokenize returns the tokens of a line without spans and case.
func (p Pipeline) Tokenize(line string) []string {
	if p.settings.Language == "" {
		return text.Tokens(line)
	}
	if p.settings.Rules != Reversible {
		return moses.Tokenizer{Language: p.settings.Language, Lowercase: p.settings.Lowercase, Normalize: true}.Tokenize(line)
	}
	d := &draft{view: canonical(p.settings.Language, line), language: p.settings.Language, line: line}
	d.to = len(d.text)
	d.tokenize(false)
	tokens := make([]string, len(d.tokens))
	for i, t := range d.tokens {
		_, tokens[i] = uncased(t.text)
	}
	return tokens
}

// Prose returns the words of what is text in a line, in lower case: of all but spans and punctuation marks.
func (p Pipeline) Prose(line string) []string {
	if p.settings.Rules != Reversible {
		return p.Segment(p.Tokenize(strings.ToLower(line)))
	}
	d := p.draft(line)
	d.tokenize(false)
	var tokens []string
	for _, t := range d.tokens {
		if t.span == nil {
			tokens = append(tokens, strings.ToLower(t.text))
		}
	}
	return p.Segment(tokens)
}

// Segment returns the words of tokens.
func (p Pipeline) Segment(tokens []string) []string {
	if p.segmenter == nil && p.settings.Rules != Reversible {
		return tokens
	}
	words := make([]string, 0, 2*len(tokens))
	for _, token := range tokens {
		words = p.appendSegments(words, token)
	}
	return slices.Clone(words) // without the capacity to spare
}

// appendSegments appends the words of a token.
func (p Pipeline) appendSegments(words []string, token string) []string {
	if p.settings.Rules == Reversible {
		if isPlaceholder(token) {
			return append(words, token)
		}
		var c letterCase
		if c, token = uncased(token); marks[c] != "" {
			words = append(words, marks[c])
		}
	}
	if p.segmenter == nil {
		return append(words, token)
	}
	return p.segmenter.Segment(words, token)
}

// Join returns the tokens that the words are segments of, or words itself if p has no codes. If the last segment of the
// last token is missing, the token consists of the others without "@@".
func (p Pipeline) Join(words []string) []string {
	if p.segmenter == nil {
		return words
	}
	tokens := bpe.Join(nil, words)
	if len(tokens) == 0 {
		return tokens
	}
	last := len(tokens) - 1
	tokens[last] = strings.TrimSuffix(tokens[last], separator)
	if tokens[last] == "" {
		return tokens[:last]
	}
	return tokens
}

// Sentences divides a line into sentences as [moses.Sentences] does, none of which ends within a span. Symbols after a
// sentence belong to it, and the mark of a list to the first one. Without a language, a line with words is one sentence.
func (p Pipeline) Sentences(line string) (list []string) {
	if p.settings.Language == "" {
		if line != "" {
			list = []string{line}
		}
		return list
	}
	d := p.draft(line)
	b := []byte(d.text)
	for _, s := range d.spans {
		cover := byte('x')
		switch s.class {
		case number:
			continue
		case edge:
			cover = ' '
		}
		for i := s.from; i < s.to; i++ {
			b[i] = cover
		}
		if r, _ := utf8.DecodeRuneInString(d.text[s.from:]); cover == 'x' && unicode.IsUpper(r) {
			b[s.from] = 'X'
		}
	}
	text, at := string(b), 0
	var begins []int
	for _, s := range moses.Sentences(p.settings.Language, text) {
		at += strings.Index(text[at:], s)
		begins = append(begins, at)
		at += len(s)
	}
	if len(begins) == 0 {
		begins = []int{0}
	}
	begins[0] = 0
	for i, from := range begins {
		to := len(text)
		if i+1 < len(begins) {
			to = begins[i+1]
		}
		start := 0 // also where what begins a line is not read
		if i > 0 {
			start = d.place(from)
		}
		if s := strings.TrimFunc(line[start:d.place(to)], isSpaceOrControl); s != "" {
			list = append(list, s)
		}
	}
	return list
}
