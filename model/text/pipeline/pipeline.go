package pipeline

import (
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/moses"
)

// A Pipeline is how the lines of one language become words, and words lines. It never changes,
// and any number of goroutines may use one. The zero value takes what ASCII white space
// separates for words, and puts a space between two.
type Pipeline struct {
	settings  Settings
	segmenter *bpe.Segmenter // nil if tokens are words
}

// IsZero reports whether p is the zero value.
func (p Pipeline) IsZero() bool { return p.settings.Language == "" && p.segmenter == nil }

// Equal reports whether p and q do the same with every line and all words.
func (p Pipeline) Equal(q Pipeline) bool {
	a, b := p.settings, q.settings
	return a.Language == b.Language && a.Lowercase == b.Lowercase &&
		(a.Codes == nil) == (b.Codes == nil) && slices.Equal(a.Codes, b.Codes) &&
		(a.Segments == nil) == (b.Segments == nil) && slices.Equal(a.Segments, b.Segments)
}

// Language returns the language whose text p tokenises, empty if the text is tokenised already.
func (p Pipeline) Language() string { return p.settings.Language }

// Words returns the words of a line, which is any sequence of bytes. No word is empty or has
// ASCII white space. With a language, runs of bytes that are no UTF-8 are U+FFFD; without one
// they are parts of words.
func (p Pipeline) Words(line string) []string { return p.Segment(p.Tokenize(line)) }

// Tokenize returns the words of a line before they are segmented.
func (p Pipeline) Tokenize(line string) []string {
	if p.settings.Language == "" {
		return text.Tokens(line)
	}
	t := moses.Tokenizer{Language: p.settings.Language, Lowercase: p.settings.Lowercase, Normalize: true}
	return t.Tokenize(line)
}

// Segment returns the segments of tokens, or the tokens themselves where p has no codes.
func (p Pipeline) Segment(tokens []string) []string {
	if p.segmenter == nil {
		return tokens
	}
	words := make([]string, 0, 2*len(tokens))
	for _, token := range tokens {
		words = p.segmenter.Segment(words, token)
	}
	return words
}

// Line returns the line of words: of those of [Pipeline.Words], or of others that a model put
// one after the other.
func (p Pipeline) Line(words []string) string {
	tokens := p.Join(words)
	if p.settings.Language == "" {
		return strings.Join(tokens, " ")
	}
	return moses.Detokenize(p.settings.Language, tokens)
}

// Join returns the tokens that words are segments of, or the words themselves where p has no
// codes. A token whose last segment is missing ends with the others, without "@@".
func (p Pipeline) Join(words []string) []string {
	if p.segmenter == nil {
		return words
	}
	tokens := bpe.Join(nil, words)
	if len(tokens) == 0 {
		return tokens
	}
	last := len(tokens) - 1
	tokens[last] = strings.TrimSuffix(tokens[last], joint)
	if tokens[last] == "" {
		return tokens[:last]
	}
	return tokens
}
