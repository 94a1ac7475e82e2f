package decode

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A Term is words of source text and what stands for them in every translation.
type Term struct {
	Source string
	Target string // equal to Source for words that stay
}

// A Glossary finds terms in lines of text.
type Glossary struct {
	model *model.Model
	terms map[string][]entry // by the first token of the source in lower case: the longest first, then those in lower case
}

type entry struct {
	source []string // tokens
	target []int32  // nil for a span that translations copy
}

// A TermError reports a term that a glossary cannot have.
type TermError struct {
	Index int // in the list of terms
	Err   error
}

func (e *TermError) Error() string { return fmt.Sprintf("term %d: %v", e.Index+1, e.Err) }
func (e *TermError) Unwrap() error { return e.Err }

// NewGlossary returns a glossary for a model, whose text settings divide the terms into words. The error wraps
// [model.ErrConfig] if there are terms and the model has no vocabularies, and is a *[TermError] for a
// term that has no words on a side, whose source stands there twice, that changes a span which translations
// copy and that is no name, or that the model cannot write. A nil model panics.
func NewGlossary(m *model.Model, terms []Term) (*Glossary, error) {
	if m == nil {
		panic("decode: nil model")
	}
	g := &Glossary{m, map[string][]entry{}}
	if len(terms) > 0 && (m.Source == nil || m.Target == nil) {
		return nil, fmt.Errorf("%w: terms for a model without vocabularies", model.ErrConfig)
	}
	for i, term := range terms {
		reject := func(format string, args ...any) (*Glossary, error) {
			return nil, &TermError{i, fmt.Errorf(format, args...)}
		}
		kept := m.SourceText.Kept(term.Source)
		kept.Before, kept.After = "", "" // all of a term is words
		_, _, source := g.tokens(term.Source, kept)
		words := m.TargetText.WordsOf(term.Target, pipeline.Kept{})
		copies := pipeline.KeptByPair(m.SourceText, m.SourceText, term.Source, term.Source).Spans // names may become something else
		switch {
		case len(source) == 0 || len(words) == 0:
			return reject("%q for %q, expected words on both sides", term.Target, term.Source)
		case len(kept.Spans) > 0 && len(source) == 1 && source[0] == strings.TrimSpace(term.Target):
			words = nil
		case len(copies) > 0:
			return reject("%q for %q, expected no %q in it, which stays in any case", term.Target, term.Source, copies[0])
		}
		e := entry{source, writable(m, words)}
		if slices.Contains(e.target, text.UNK) {
			return reject("this model cannot write %q", term.Target)
		}
		first := strings.ToLower(source[0])
		list := g.terms[first]
		at, found := slices.BinarySearchFunc(list, e, func(a, b entry) int {
			if n := len(b.source) - len(a.source); n != 0 {
				return n
			}
			return slices.Compare(b.source, a.source)
		})
		if found {
			return reject("several terms for %q, expected one", term.Source)
		}
		g.terms[first] = slices.Insert(list, at, e)
	}
	return g, nil
}

// writable returns the ids of words, smaller segments in place of those that the vocabulary lacks.
func writable(m *model.Model, words []string) (ids []int32) {
	has := func(segment string) bool { return m.Target.ID(segment) != text.UNK }
	for _, word := range words {
		segments := m.TargetText.Divide(word, has)
		if segments == nil {
			segments = []string{word}
		}
		ids = append(ids, m.Target.Encode(segments)[:len(segments)]...)
	}
	return ids
}

// tokens returns the tokens of a line: with placeholders, with the spans for which these stand, and as written, in
// capitals for example.
func (g *Glossary) tokens(line string, kept pipeline.Kept) (marked, read, written []string) {
	p := g.model.SourceText
	words := p.WordsOf(line, kept)
	marked = p.Join(words)
	for i, s := range p.Spans(line, words, kept) {
		read = append(read, p.Restore(marked[i], pipeline.Kept{Spans: kept.Spans}))
		written = append(written, s.Text)
	}
	return marked, read, written
}

// Find returns [Sentence.Terms] for a line: the target of each term whose source stands there, once for
// each time. Where several sources begin at a word, the longest counts, and what it covers is not part
// of others. The first word of a line may begin with a capital that the source lacks, and a line may be in capitals.
// Those beyond the 64 terms that a sentence can have are left out.
func (g *Glossary) Find(line string) (terms []Constraint) {
	if len(g.terms) == 0 {
		return nil
	}
	marked, read, written := g.tokens(line, g.model.SourceText.Kept(line))
	ids := make([]int, len(marked)+1) // before each token
	for i, token := range marked {
		ids[i+1] = ids[i] + len(g.model.SourceText.Segment([]string{token}))
	}
	first := slices.IndexFunc(written, func(token string) bool { return strings.ContainsFunc(token, unicode.IsLetter) })
	for at := 0; at < len(marked) && len(terms) < maxTerms; {
		e, found := g.at(written[at:], func(i int, source string) bool {
			i += at
			inCapitals := read[i] != written[i] && strings.ToUpper(source) == written[i]
			return source == written[i] || source == read[i] || inCapitals || i == first && source == lowerFirst(written[i])
		})
		if !found {
			at++
			continue
		}
		next, target := at+len(e.source), e.target
		if len(target) == 0 {
			target = []int32{g.model.Target.ID(marked[at])}
		}
		if target[0] != text.UNK { // a placeholder that the model has not learned
			terms = append(terms, Constraint{slices.Clone(target), ids[at], ids[next]})
		}
		at = next
	}
	return terms
}

// at returns the longest term whose source begins a line of tokens, where is reports whether a token of a source stands
// for token i of the line. Of several as long, it is the one that stands there as written.
func (g *Glossary) at(written []string, is func(i int, source string) bool) (best entry, found bool) {
	for _, e := range g.terms[strings.ToLower(written[0])] {
		n := len(e.source)
		if found && n < len(best.source) {
			break
		}
		stands := n <= len(written)
		for i := 0; stands && i < n; i++ {
			stands = is(i, e.source[i])
		}
		if stands && (!found || slices.Equal(e.source, written[:n])) {
			best, found = e, true
		}
	}
	return best, found
}

func lowerFirst(word string) string {
	for i := range word {
		if i > 0 {
			return strings.ToLower(word[:i]) + word[i:]
		}
	}
	return strings.ToLower(word)
}

// Terms returns [Sentence.Terms] for a line by Options.Terms: the first ones for which Options.MaxLength has room.
func (t *Translator) Terms(line string) []Constraint {
	terms, ids := t.glossary.Find(line), 1 // EOS
	for i, term := range terms {
		if ids += len(term.IDs); t.options.MaxLength > 0 && ids > t.options.MaxLength {
			return terms[:i]
		}
	}
	return terms
}

// joinedIDs returns, by id, whether a word of the target vocabulary is a segment that the next word
// continues; nil if the model does not divide words.
func joinedIDs(m *model.Model) []bool {
	if m.Target == nil || m.TargetText.Settings().Codes == nil {
		return nil
	}
	list := make([]bool, m.Target.Size())
	for id, word := range m.Target.Words() {
		list[id] = len(m.TargetText.Join([]string{word, "."})) == 1
	}
	return list
}
