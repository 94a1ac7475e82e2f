package grammar

import (
	"slices"
	"strings"
)

type determiner int

const (
	bare          determiner = iota // with a number only: twenty cars, vingt voitures
	definite                        // the; le, la, les
	indefinite                      // a, an, some; un, une, des
	demonstrative                   // this, these; ce, cette, ces
)

// A nounPhrase describes a noun for both languages. A number of 0 is not spelled; with any other,
// plural is number > 1 and the determiner is bare or definite.
type nounPhrase struct {
	determiner determiner
	number     int
	plural     bool
	before     *adjective  // or nil
	behind     []adjective // in their English order, before the noun
	noun       noun
}

// english returns the words of the phrase: "the twenty small red cars".
func (p nounPhrase) english() []string {
	var words []string
	if p.number > 0 {
		words = englishNumber(p.number)
	}
	if p.before != nil {
		words = append(words, p.before.english)
	}
	for _, a := range p.behind {
		words = append(words, a.english)
	}
	if p.plural {
		words = append(words, p.noun.englishPlural)
	} else {
		words = append(words, p.noun.english)
	}
	if p.determiner == bare {
		return words
	}
	return slices.Insert(words, 0, p.englishDeterminer(words[0]))
}

// englishDeterminer returns the determiner before the word next.
func (p nounPhrase) englishDeterminer(next string) string {
	switch {
	case p.determiner == definite:
		return "the"
	case p.determiner == demonstrative && p.plural:
		return "these"
	case p.determiner == demonstrative:
		return "this"
	case p.plural:
		return "some"
	case strings.ContainsAny(next[:1], "aeiou"):
		return "an"
	}
	return "a"
}

// french returns the words of the phrase before contraction: "les vingt petites voitures
// rouges" for the twenty small red cars. Adjectives behind the noun are in reverse order.
func (p nounPhrase) french() []string {
	var words []string
	if p.determiner != bare {
		words = append(words, p.frenchDeterminer())
	}
	if p.number > 0 {
		words = append(words, frenchNumber(p.number, p.noun.feminine)...)
	}
	noun := p.noun.french
	if p.plural {
		noun = p.noun.frenchPlural
	}
	if p.before != nil {
		words = append(words, p.agree(*p.before, noun))
	}
	words = append(words, noun)
	for _, a := range slices.Backward(p.behind) {
		words = append(words, p.agree(a, ""))
	}
	return words
}

// frenchDeterminers holds the masculine, feminine and plural forms.
var frenchDeterminers = [...][3]string{
	definite:      {"le", "la", "les"},
	indefinite:    {"un", "une", "des"},
	demonstrative: {"ce", "cette", "ces"},
}

// frenchDeterminer returns the determiner before contraction. Before an adjective, the plural of un
// is de.
func (p nounPhrase) frenchDeterminer() string {
	forms := frenchDeterminers[p.determiner]
	switch {
	case p.determiner == indefinite && p.plural && p.before != nil:
		return "de"
	case p.plural:
		return forms[2]
	case p.noun.feminine:
		return forms[1]
	}
	return forms[0]
}

// agree returns the form of an adjective that agrees with the noun, before the word next.
func (p nounPhrase) agree(a adjective, next string) string {
	switch {
	case p.plural && p.noun.feminine:
		return a.feminines
	case p.plural:
		return a.masculines
	case p.noun.feminine:
		return a.feminine
	case a.beforeVowel != "" && vowel(next):
		return a.beforeVowel
	}
	return a.masculine
}

// vowel reports whether a French word begins with a vowel sound that elides the word before it.
// onze does not, in spite of its spelling.
func vowel(word string) bool {
	if word == "homme" || word == "hommes" {
		return true
	}
	return word != "" && word != "onze" && strings.ContainsRune("aeiouéî", []rune(word)[0])
}

// elided maps words to their forms before a vowel.
var elided = map[string]string{"le": "l'", "la": "l'", "de": "d'", "que": "qu'", "ce": "cet"}

// contract applies the rules of French for adjacent words, in place: de des becomes de, de les
// becomes des, de le becomes du unless le is elided, and words become l', d', qu' and cet before a
// vowel.
func contract(words []string) []string {
	out := words[:0]
	for i := 0; i < len(words); i++ {
		word, next, afterNext := words[i], at(words, i+1), at(words, i+2)
		switch {
		case word == "de" && (next == "des" || next == "de"):
			words[i+1] = "de"
			continue
		case word == "de" && next == "les":
			word = "des"
			i++
		case word == "de" && next == "le" && !vowel(afterNext):
			word = "du"
			i++
		case elided[word] != "" && vowel(next):
			word = elided[word]
		}
		out = append(out, word)
	}
	return out
}

// at returns words[i], or "" after the end.
func at(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return ""
}
