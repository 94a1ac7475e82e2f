package pipeline

import (
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
