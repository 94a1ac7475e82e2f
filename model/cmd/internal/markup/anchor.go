package markup

import (
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A part is a token, or what an item of the sentence has of one.
type part struct{ token, from, to int }

// anchored says where each part of a translation comes from.
type anchored struct {
	translation Translation
	weights     kernels.Matrix // target tokens × source tokens
	source      []part         // by the bytes before that are no white space
	target      []part         // by bytes, in order
	origins     []int          // for each target part, the source part that it comes from, or -1
}

// anchor divides a sentence between its items, which have that many bytes before them that are no white space, and the
// translation alike. A token that is in both, such as a span, has the same parts there; another one comes from the
// longest part of the token that it looks at most.
func anchor(sentence string, t Translation, keys []int) *anchored {
	t.Source, t.Target = withEnds(sentence, t.Source), withEnds(t.Text, t.Target)
	a := &anchored{translation: t, weights: decode.Translation{Alignment: t.Alignment}.Between(t.Source, t.Target)}
	if a.weights.Rows == 0 { // both sides have the same order
		a.weights = kernels.NewMatrix(len(t.Target), len(t.Source))
		for i := range t.Target {
			a.weights.Row(i)[i*len(t.Source)/len(t.Target)] = 1
		}
	}
	parts := a.divideSource(sentence, keys)
	for i, token := range t.Target {
		from, to := token.Bytes[0], token.Bytes[1]
		at, same := a.origin(i, parts)
		longest := -1
		for k := parts[at][0]; k < parts[at][1]; k++ {
			length := a.source[k].to - a.source[k].from
			if end := from + prefix(t.Text[from:to], length, isSolid); same && from < end && k < parts[at][1]-1 {
				a.target, a.origins = append(a.target, part{i, from, end}), append(a.origins, k)
				from = end
			}
			if same || longest < 0 || length > a.source[longest].to-a.source[longest].from {
				longest = k
			}
		}
		if !same && (t.Source[at].Span != 0 || isWord(t.Source[at]) && !isWord(token)) {
			longest = -1 // a span has no other translation, and the sentence lacks that punctuation
		}
		if from < to {
			a.target, a.origins = append(a.target, part{i, from, to}), append(a.origins, longest)
		}
	}
	return a
}

// withEnds returns the tokens of a text and, as spans of their own, what stands before and after them, such as the mark
// of a list.
func withEnds(text string, tokens []pipeline.Token) []pipeline.Token {
	end := func(from, to, word, span int) pipeline.Token {
		s := strings.TrimFunc(text[from:to], func(r rune) bool { return !isSolid(r) })
		from += strings.Index(text[from:to], s)
		return pipeline.Token{Text: s, Words: [2]int{word, word}, Bytes: [2]int{from, from + len(s)}, Span: span}
	}
	last := tokens[len(tokens)-1]
	list := append([]pipeline.Token{end(0, tokens[0].Bytes[0], 0, -1)}, tokens...)
	return append(list, end(last.Bytes[1], len(text), last.Words[1], -2))
}

// divideSource divides the source tokens between items and returns the parts of each. Together they have all characters.
func (a *anchored) divideSource(sentence string, keys []int) (parts [][2]int) {
	at, key := 0, 0 // of the text, and of what is no white space there
	for i, s := range a.translation.Source {
		from, first := key, len(a.source)
		if end := s.Bytes[1]; end > at {
			key, at = key+count(sentence[at:end], isSolid), end
		}
		if i == len(a.translation.Source)-1 {
			key = keys[len(keys)-1]
		}
		for ; len(keys) > 1 && keys[0] < key; keys = keys[1:] {
			if keys[0] > from {
				a.source = append(a.source, part{i, from, keys[0]})
				from = keys[0]
			}
		}
		if from < key {
			a.source = append(a.source, part{i, from, key})
		}
		parts = append(parts, [2]int{first, len(a.source)})
	}
	return parts
}

// origin returns the source token that a target token comes from: the same span or, if it looks there, an equal token,
// and otherwise the one that it looks at most.
func (a *anchored) origin(i int, parts [][2]int) (at int, same bool) {
	const little = 0.05
	t, most := a.translation.Target[i], float32(0)
	for j, s := range a.translation.Source {
		w := a.weights.Row(i)[j]
		equal := t.Span == s.Span && (t.Span != 0 || t.Text == s.Text && (w > little || !isWord(t)))
		if equal {
			w++
		}
		if w > most && parts[j][0] < parts[j][1] {
			at, same, most = j, equal, w
		}
	}
	return at, same
}

func isWord(t pipeline.Token) bool { return strings.ContainsFunc(t.Text, isWordRune) }
