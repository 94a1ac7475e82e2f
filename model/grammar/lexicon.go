package grammar

import (
	_ "embed"
	"strings"
)

// A noun has a singular and a plural in both languages.
type noun struct {
	english, englishPlural string
	french, frenchPlural   string
	feminine               bool
}

// An adjective agrees with its noun only in French. beforeVowel is the masculine singular before a
// vowel, if it differs.
type adjective struct {
	english               string
	masculine, feminine   string
	masculines, feminines string
	beforeVowel           string
}

// A word has the same form in every context. It may be several words long.
type word struct{ english, french string }

// A verb is transitive, in the third person present.
type verb struct{ singular, plural word }

// A class is a group of nouns with the adjectives that French puts after them. Of two such
// adjectives, English puts the quality before the sort.
type class struct {
	nouns            []noun
	qualities, sorts []adjective
}

// lexicon has a section for each kind of words, a word a line: its forms in the order of the fields, f for feminine.
//
//go:embed lexicon.txt
var lexicon string

var (
	beings, things   = newClass("beings"), newClass("things")
	adjectivesBefore = read("adjectivesBefore", newAdjective) // French puts these before the noun, as English does
	verbs            = read("verbs", newVerb)                 // take any object
	dealings         = read("dealings", newVerb)              // take things as objects
	prepositions     = read("prepositions", newWord)          // go with every noun
	placements       = read("placements", newWord)            // go with things
	conjunctions     = read("conjunctions", newWord)
	weekdays         = read("weekdays", newWord)
	months           = read("months", newWord)
)

// read returns what of makes of the forms in each line of a section.
func read[T any](section string, of func(forms [6]string) T) (list []T) {
	_, rest, _ := strings.Cut(lexicon, "# "+section+"\n")
	lines, _, _ := strings.Cut(rest, "\n\n")
	for line := range strings.Lines(lines) {
		var forms [6]string
		copy(forms[:], strings.Split(strings.TrimSuffix(line, "\n"), ", "))
		list = append(list, of(forms))
	}
	return list
}

func newClass(name string) *class {
	return &class{read(name+" nouns", newNoun), read(name+" qualities", newAdjective), read(name+" sorts", newAdjective)}
}

func newNoun(f [6]string) noun           { return noun{f[0], f[1], f[2], f[3], f[4] == "f"} }
func newAdjective(f [6]string) adjective { return adjective{f[0], f[1], f[2], f[3], f[4], f[5]} }
func newVerb(f [6]string) verb           { return verb{word{f[0], f[1]}, word{f[2], f[3]}} }
func newWord(f [6]string) word           { return word{f[0], f[1]} }
