package pipeline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/model/text/moses"
)

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
