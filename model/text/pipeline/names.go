package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// CapitalKey returns what is the same in a token of either language that begins with a capital and stands alone, "" for
// other tokens.
func CapitalKey(token string) string {
	if c, _ := uncased(token); c == lower || strings.Contains(token, joiner) {
		return ""
	}
	return key(name, token)
}

// IsName reports whether a token, as [TokenizePair] returns it, is a name: a capitalized word that is rare in the training text.
func (p Pipeline) IsName(token string) bool {
	c, word := uncased(token)
	return c != lower && p.known != nil && !p.known[word] && lettersOf(word) > 1 && CapitalKey(token) != ""
}

func lettersOf(word string) (n int) {
	for _, r := range word {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// commonNames returns a function that reports whether b has a capitalized token of a, once for each time it stands there.
func commonNames(a, b *draft) func(token string) bool {
	left := map[string]int{}
	for _, t := range b.tokens {
		if k := CapitalKey(t.text); t.span == nil && k != "" {
			left[k]++
		}
	}
	return func(token string) bool {
		k := CapitalKey(token)
		left[k]--
		return left[k] >= 0
	}
}

// A word of the training text is known if it occurs that often, or that often in lower case.
const (
	knownTimes     = 25
	knownLowercase = 3
)

// known returns the words of a text that are no names in a language, in byte order, given how often its tokens occur;
// nil in German, where all nouns have capitals.
func known(language string, tokens bpe.Frequencies) (list []string) {
	if language == "de" {
		return nil
	}
	all := map[string]int{}
	for token, n := range tokens {
		if c, word := uncased(token); !isPlaceholder(token) && !strings.Contains(word, joiner) && lettersOf(word) > 1 {
			if all[word] += n; c == lower && n >= knownLowercase {
				all[word] += knownTimes
			}
		}
	}
	list = []string{}
	for word, n := range all {
		if n >= knownTimes {
			list = append(list, word)
		}
	}
	slices.Sort(list)
	return list
}

// uncasedCounts returns the frequencies of words without case and placeholders, from which segments are learned.
func uncasedCounts(tokens bpe.Frequencies) bpe.Frequencies {
	words := make(bpe.Frequencies, len(tokens))
	for token, n := range tokens {
		if !isPlaceholder(token) {
			_, word := uncased(token)
			words[word] += n
		}
	}
	return words
}

// isForeign reports whether hardly a word of a draft is known, or all of them are in another script.
func (p Pipeline) isForeign(d *draft) bool {
	const enough = 3 // words show whether a line is in a language
	words, familiar, scripts := 0, 0, 0
	for _, t := range d.tokens {
		if r := runeAt(t.text, 0); t.span != nil && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) {
			scripts++
		}
		_, word := uncased(t.text)
		if lettersOf(word) > 1 && !strings.Contains(word, joiner) && (t.span == nil || t.span.class == name && t.span.target == "") {
			words++
			if p.known[strings.ToLower(word)] {
				familiar++
			}
		}
	}
	return p.known != nil && (words >= enough && 3*familiar < words || words == 0 && scripts > 0)
}

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
