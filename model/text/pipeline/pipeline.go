// Package pipeline turns a line of text into the words that a translation model learns from, and
// such words back into a line.
//
//	line    → tokens    Tokenize: package moses, or splitting at ASCII white space
//	tokens  → words     Segment: package bpe, or the tokens unchanged
//	words   → tokens    Join
//	tokens  → line      package moses, or joining with spaces
//
// [Pipeline.Words] and [Pipeline.Line] do both steps. With Settings.Copied, placeholders stand for the spans of
// a line that its translation copies: [Pipeline.Kept] finds them, [MarkPair] marks them for training, Words
// for translation, and [Pipeline.LineOf] brings them back. In translation they also stand for [moses.Names]. LineOf
// brings back marks of lists and symbols at the ends of a line, too: - and 1. before its words, emoji and :) after them.
// Words reads a line in capitals, and a word alone that begins with one, as if it were in lower case, which models know
// better, and LineOf writes its translation like it. Training takes ends and capitals as they are.
// A [Pipeline] is for one language. It is made from [Settings], given codes by [WithCounts], or read from
// JSON. The zero value is for tokenized text.
//
// The [Rules] say whether the tokens are those of the Moses scripts or bring the line back. [Defaults]
// returns the settings of new models, which do the latter.
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

// A Pipeline converts between the lines and the words of one language. It is immutable and safe
// for concurrent use. The zero value splits lines at ASCII white space and joins words with
// spaces.
type Pipeline struct {
	settings  Settings
	protected *moses.Patterns
	copied    *moses.Patterns
	stressed  *moses.Patterns
	segmenter *bpe.Segmenter // nil if tokens are words
}

// IsZero reports whether p is the zero value.
func (p Pipeline) IsZero() bool { return p.settings.Language == "" && p.segmenter == nil }

// Equal reports whether p and q have equal settings, and so the same results.
func (p Pipeline) Equal(q Pipeline) bool {
	a, b := p.settings, q.settings
	return a.Language == b.Language && a.Lowercase == b.Lowercase &&
		a.Rules == b.Rules && slices.Equal(a.Protected, b.Protected) && slices.Equal(a.Copied, b.Copied) && slices.Equal(a.Stressed, b.Stressed) &&
		(a.Codes == nil) == (b.Codes == nil) && slices.Equal(a.Codes, b.Codes) &&
		(a.Segments == nil) == (b.Segments == nil) && slices.Equal(a.Segments, b.Segments)
}

// Settings returns the settings of p, which [New] turns into an equal pipeline.
func (p Pipeline) Settings() Settings {
	return p.settings.clone()
}

// Language returns the language that p tokenizes, empty if its text is tokenized already.
func (p Pipeline) Language() string { return p.settings.Language }

// Words returns the words of a line, which may be any sequence of bytes. Words are not empty and
// contain no ASCII white space. With a language, each run of bytes that are not UTF-8 becomes
// U+FFFD; without one, such bytes are part of words. Placeholders and lower case stand for spans and capitals that
// [Pipeline.Kept] returns, nothing for the ends.
func (p Pipeline) Words(line string) []string { return p.WordsOf(line, p.Kept(line)) }

// Tokenize returns the tokens of a line, which are its words before segmentation.
func (p Pipeline) Tokenize(line string) []string {
	if p.settings.Language == "" {
		return text.Tokens(line)
	}
	t := moses.Tokenizer{
		Language:   p.settings.Language,
		Protected:  p.protected,
		Lowercase:  p.settings.Lowercase,
		Normalize:  p.settings.Rules == Moses,
		Reversible: p.settings.Rules == Reversible,
	}
	return t.Tokenize(line)
}

// Segment returns the segments of tokens, or tokens itself if p has no codes.
func (p Pipeline) Segment(tokens []string) []string {
	if p.segmenter == nil {
		return tokens
	}
	words := make([]string, 0, 2*len(tokens))
	for _, token := range tokens {
		if p.copied != nil && isPlaceholder(token) {
			words = append(words, token)
			continue
		}
		words = p.segmenter.Segment(words, token)
	}
	return slices.Clone(words) // without the capacity to spare
}

// Divide returns segments that a vocabulary has for one that it lacks, the longest first; nil if there are
// none, or the pipeline does not divide words.
func (p Pipeline) Divide(segment string, has func(segment string) bool) (list []string) {
	rest, joined := strings.CutSuffix(segment, separator)
	for p.segmenter != nil && rest != "" {
		next, end := rest, ""
		if joined {
			end = separator
		}
		for next != "" && !has(next+end) {
			_, n := utf8.DecodeLastRuneInString(next)
			next, end = next[:len(next)-n], separator
		}
		if next == "" {
			return nil
		}
		list, rest = append(list, next+end), rest[len(next):]
	}
	return list
}

// Plain returns the word that stands for a punctuation mark in normalized text, such as " for “, and
// other words unchanged. With [Reversible] rules marks stay as they are written; a model that has
// learned from text with plain ones only can read others by it. With [Moses] rules Words has
// normalized the text, and Plain returns word.
func (p Pipeline) Plain(word string) string {
	first, _ := utf8.DecodeRuneInString(word)
	if p.settings.Rules != Reversible || first < utf8.RuneSelf || !unicode.IsPunct(first) {
		return word
	}
	plain := strings.TrimSpace(moses.Normalize(p.settings.Language, word))
	if plain == "" || strings.Contains(plain, " ") {
		return word
	}
	return plain
}

// Line returns the line that words make, whether they come from [Pipeline.Words] or from a model.
func (p Pipeline) Line(words []string) string {
	tokens := p.Join(words)
	if p.settings.Language == "" {
		return strings.Join(tokens, " ")
	}
	d := moses.Detokenizer{
		Language:   p.settings.Language,
		Protected:  p.protected,
		Reversible: p.settings.Rules == Reversible,
	}
	return d.Detokenize(tokens)
}

// Join returns the tokens that the words are segments of, or words itself if p has no codes. If
// the last segment of the last token is missing, the token consists of the others without "@@".
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
