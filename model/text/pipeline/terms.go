package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Term is words of a source text and what stands for them in every translation.
type Term struct {
	Source string
	Target string // equal to Source for words that stay
}

// Terms find the words of terms in lines.
type Terms struct {
	list map[string][]term // by the first token: the longest first
}

type term struct {
	tokens []draftToken
	target string
}

// A TermError reports a term that cannot be.
type TermError struct {
	Index int // in the list of terms
	Err   error
}

func (e *TermError) Error() string { return fmt.Sprintf("term %d: %v", e.Index+1, e.Err) }
func (e *TermError) Unwrap() error { return e.Err }

// NewTerms returns terms for lines that p reads, of the [Reversible] rules. A *[TermError] reports one without words on
// a side, or whose source another one has.
func (p Pipeline) NewTerms(list []Term) (*Terms, error) {
	t := &Terms{map[string][]term{}}
	for i, one := range list {
		if p.settings.Rules != Reversible {
			return nil, &TermError{i, fmt.Errorf("%w: terms need a language and reversible rules", ErrSettings)}
		}
		d := p.draft(one.Source)
		d.tokenize(false)
		target := strings.TrimSpace(one.Target)
		if len(d.tokens) == 0 || target == "" {
			return nil, &TermError{i, fmt.Errorf("%q for %q, expected words on both sides", one.Target, one.Source)}
		}
		k := d.tokens[0].fold()
		same := func(other term) bool {
			return slices.EqualFunc(other.tokens, d.tokens, func(a, b draftToken) bool { return a.text == b.text })
		}
		if slices.ContainsFunc(t.list[k], same) {
			return nil, &TermError{i, fmt.Errorf("several terms for %q, expected one", one.Source)}
		}
		t.list[k] = append(t.list[k], term{d.tokens, target})
		slices.SortStableFunc(t.list[k], func(a, b term) int { return cmp.Compare(len(b.tokens), len(a.tokens)) })
	}
	return t, nil
}

// fold returns a token without its case.
func (t draftToken) fold() string {
	if t.span != nil {
		return t.text
	}
	_, word := uncased(t.text)
	return word
}

// stands reports whether a token of a term stands for one of a line: with the same capitals if it has some, unless the
// line is in capitals.
func (t draftToken) stands(d *draft, token draftToken) bool {
	c, _ := uncased(t.text)
	return t.fold() == token.fold() && (t.text == token.text || c <= first || d.letters == capitals || token.text == string(rune(first))+t.fold())
}

// take makes the terms in a draft spans. Where several begin at a word the longest counts, and what it has is not part of
// others.
func (t *Terms) take(d *draft) {
	if t == nil || len(t.list) == 0 {
		return
	}
	var tokens []draftToken
	for at := 0; at < len(d.tokens); {
		n := 0
		for _, one := range t.list[d.tokens[at].fold()] {
			if n = len(one.tokens); at+n <= len(d.tokens) && slices.EqualFunc(one.tokens, d.tokens[at:at+n], func(a, b draftToken) bool { return a.stands(d, b) }) {
				from, to := d.tokens[at].from, d.tokens[at+n-1].to
				tokens = append(tokens, draftToken{d.text[from:to], from, to, &found{class: name, target: one.target}})
				break
			}
			n = 0
		}
		if n == 0 {
			tokens, n = append(tokens, d.tokens[at]), 1
		}
		at += n
	}
	d.tokens = tokens
}
