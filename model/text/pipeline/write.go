package pipeline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/moses"
)

// A Writing is words of a model as a line.
type Writing struct {
	Line   string
	Tokens []Token // of the line, in order
	Lost   int     // spans of the source that the line lacks
}

// Write returns the line that words make which translate a reading: with its spans, in its case, between the marks and
// symbols at its ends. The words may be those of a model, which may break off within a token. The zero Reading is for
// words that translate nothing.
func (p Pipeline) Write(words []string, of Reading) Writing {
	tokens := p.join(words, of)
	w := Writing{Lost: len(of.Spans)}
	texts := make([]string, len(tokens))
	for i, t := range tokens {
		if texts[i] = t.Text; t.Span > 0 {
			texts[i] = spanMark
			w.Lost--
		}
	}
	var line strings.Builder
	line.WriteString(strings.TrimLeftFunc(of.Line[:of.from], isSpaceOrControl))
	joined, at := p.detokenize(texts), 0
	for i, t := range tokens {
		begin := strings.Index(joined[at:min(len(joined), at+maxGap+len(texts[i]))], texts[i])
		if begin >= 0 {
			if space := joined[at : at+begin]; i == 0 || !isGlued(of, tokens[i-1], 1) && !isGlued(of, t, 0) {
				line.WriteString(space)
			}
			at += begin + len(texts[i])
		}
		t.Bytes = [2]int{line.Len(), line.Len()}
		if begin >= 0 {
			line.WriteString(t.Text)
			t.Bytes[1] = line.Len()
		}
		w.Tokens = append(w.Tokens, t)
	}
	line.WriteString(joined[at:])
	line.WriteString(strings.TrimRightFunc(of.Line[of.to:], isSpaceOrControl))
	w.Line = line.String()
	if len(tokens) == 0 {
		w.Line = strings.TrimRightFunc(w.Line, isSpaceOrControl)
	}
	return w
}

// isGlued reports whether a token is a span which no space divides from the word before (side 0) or after it (side 1).
func isGlued(of Reading, t Token, side int) bool { return t.Span > 0 && of.Spans[t.Span-1].glued[side] }

func isSpaceOrControl(r rune) bool { return r < ' ' || unicode.IsSpace(r) }

// join returns the tokens that words make, as they are written, without those of placeholders that stand for nothing.
func (p Pipeline) join(words []string, of Reading) (tokens []Token) {
	spans := of.byPlaceholder()
	begun := p.settings.Rules != Reversible
	for from := 0; from < len(words); {
		c, at := lower, from
		for p.settings.Rules == Reversible && at < len(words)-1 && markOf(words[at]) != lower {
			c = markOf(words[at])
			at++
		}
		to := at + 1
		for p.segmenter != nil && to < len(words) && strings.HasSuffix(words[to-1], separator) && !p.isReserved(words[to]) {
			to++
		}
		t := Token{Words: [2]int{from, to}}
		switch list := spans[words[at]]; {
		case p.settings.Rules == Reversible && isPlaceholder(words[at]):
			if len(list) == 0 {
				from = to
				continue
			}
			t.Span, spans[words[at]] = list[0], list[1:]
			t.Text = of.kept(of.Spans[t.Span-1], p.settings.Language)
		case p.segmenter != nil:
			t.Text = strings.TrimSuffix(strings.Join(bpe.Join(nil, words[at:to]), ""), separator)
		default:
			t.Text = words[at]
		}
		from = to
		if t.Text == "" {
			continue
		}
		if p.settings.Rules == Reversible {
			isFirst := !begun && strings.ContainsFunc(t.Text, isWordRune)
			begun = begun || isFirst
			t.Text = p.written(t, c, isFirst, of)
		}
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

// isReserved reports whether a word is no segment: a placeholder or a mark, with which a model may break off a token.
func (p Pipeline) isReserved(word string) bool {
	return p.settings.Rules == Reversible && (isPlaceholder(word) || markOf(word) != lower)
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

func (p Pipeline) detokenize(tokens []string) string {
	if p.settings.Language == "" {
		return strings.Join(tokens, " ")
	}
	return moses.Detokenizer{Language: p.settings.Language, Reversible: p.settings.Rules == Reversible}.Detokenize(tokens)
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
