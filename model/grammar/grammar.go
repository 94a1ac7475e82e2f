// Package grammar generates parallel English and French sentences, for demonstrations and tests
// that have no corpus at hand.
package grammar

import (
	"iter"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/internal/portable"
	"github.com/softsearch-go/softsearch/model/text"
)

// Bounds of a sentence's length in words, in either language.
const (
	shortest = 3
	longest  = 80
)

// Pairs generates pairs of English and French sentences from a small grammar: train pairs to learn
// from and heldOut pairs to test on.
//
// A sentence has 3 to 80 lower-case words in either language, mostly 5 to 25, and ends with a
// period. The English sentence determines the French one, so a translation can be correct word for
// word. The languages differ as English and French do: adjectives follow the noun, words agree in
// gender and number, there are contractions ("du roi"), elisions as separate words ("l' homme"),
// numbers ("quatre vingt onze") and dates ("le premier mars").
//
// The pairs depend only on the arguments. The sources of held-out pairs are distinct, and none of
// them occurs in the training pairs, which may repeat. The held-out pairs do not depend on train.
func Pairs(seed uint64, train, heldOut int) (trainPairs, heldOutPairs []text.Pair) {
	seen := make(map[string]bool)
	for p := range generate(seed, 0) {
		if len(heldOutPairs) >= heldOut {
			break
		}
		if source := strings.Join(p.Source, " "); !seen[source] {
			seen[source] = true
			heldOutPairs = append(heldOutPairs, p)
		}
	}
	for p := range generate(seed, 1) {
		if len(trainPairs) >= train {
			break
		}
		if !seen[strings.Join(p.Source, " ")] {
			trainPairs = append(trainPairs, p)
		}
	}
	return trainPairs, heldOutPairs
}

// generate generates the pairs of one of the streams of a seed.
func generate(seed, stream uint64) iter.Seq[text.Pair] {
	return func(yield func(text.Pair) bool) {
		g := generator{Generator: portable.NewGenerator(seed, stream)}
		for yield(g.pair()) {
		}
	}
}

// A generator writes a sentence in both languages at once.
type generator struct {
	*portable.Generator
	english, french []string
}

// pair generates a sentence whose lengths are in bounds.
func (g *generator) pair() text.Pair {
	for {
		g.english, g.french = nil, nil
		g.sentence(g.length())
		p := text.Pair{Source: g.english, Target: contract(g.french)}
		if min(len(p.Source), len(p.Target)) >= shortest && max(len(p.Source), len(p.Target)) <= longest {
			return p
		}
	}
}

// length draws the approximate length of a sentence.
func (g *generator) length() int {
	switch p := g.Below(100); {
	case p < 6:
		return 3 + g.Below(3)
	case p < 76:
		return 6 + g.Below(15)
	case p < 96:
		return 21 + g.Below(15)
	default:
		return 36 + g.Below(45)
	}
}

func (g *generator) add(english, french []string) {
	g.english = append(g.english, english...)
	g.french = append(g.french, french...)
}

// say appends a word that has only one form.
func (g *generator) say(w word) { g.add(strings.Fields(w.english), strings.Fields(w.french)) }

// sentence writes clauses until the English side has about n words. If n is too small for a clause,
// it writes a noun phrase or a date.
func (g *generator) sentence(n int) {
	const clause = 6 // the words of a short clause
	switch {
	case n >= clause:
		g.clause(min(n, clause+g.Below(2*clause)))
		for rest := n - len(g.english); rest > clause; rest = n - len(g.english) {
			g.say(portable.Pick(g.Generator, conjunctions))
			g.clause(min(rest, clause+g.Below(2*clause)))
		}
	case g.Chance(20):
		g.date()
	default:
		g.nounPhrase(g.class())
	}
	g.say(word{".", "."})
}

// clause writes a subject, a verb, an object and further parts that fit into n English words.
func (g *generator) clause(n int) {
	end := len(g.english) + n
	if g.room(end, 10) && g.Chance(12) {
		g.date()
	}
	plural := g.subject(end)
	g.object(end, g.verb(plural))
	for g.room(end, 4) && g.Chance(70) {
		if g.Chance(25) {
			g.date()
		} else {
			g.place()
		}
	}
}

// room reports whether n more English words fit before end.
func (g *generator) room(end, n int) bool { return len(g.english)+n <= end }

// subject writes the subject of a clause and reports whether the verb is plural.
func (g *generator) subject(end int) (plural bool) {
	plural = g.nounPhrase(beings)
	switch {
	case g.room(end, 9) && g.Chance(12):
		g.say(word{"and", "et"})
		g.nounPhrase(beings)
		return true
	case g.room(end, 11) && g.Chance(25):
		g.say(word{"who", "qui"})
		g.nounPhrase(g.verb(plural))
	}
	return plural
}

// verb writes a verb and draws the class of its object.
func (g *generator) verb(plural bool) (object *class) {
	if g.Chance(25) {
		g.inflect(portable.Pick(g.Generator, dealings), plural)
		return things
	}
	g.inflect(portable.Pick(g.Generator, verbs), plural)
	return g.class()
}

// inflect writes a form of a verb.
func (g *generator) inflect(v verb, plural bool) {
	if plural {
		g.say(v.plural)
	} else {
		g.say(v.singular)
	}
}

func (g *generator) class() *class { return portable.Pick(g.Generator, []*class{beings, things}) }

// object writes the object of a clause, a noun of class c.
func (g *generator) object(end int, c *class) {
	g.nounPhrase(c)
	switch {
	case g.room(end, 3) && g.Chance(12):
		g.say(word{"and", "et"})
		g.nounPhrase(c)
	case g.room(end, 4) && g.Chance(20):
		g.say(word{"that", "que"})
		g.inflect(portable.Pick(g.Generator, verbs), g.nounPhrase(beings))
	case c == things && g.room(end, 3) && g.Chance(35):
		g.owner()
	}
}

// owner writes who owns the last thing.
func (g *generator) owner() {
	g.say(word{"of", "de"})
	g.nounPhrase(beings)
}

// place writes a preposition and a noun phrase.
func (g *generator) place() {
	if g.Chance(40) {
		g.say(portable.Pick(g.Generator, placements))
		g.nounPhrase(things)
		return
	}
	g.say(portable.Pick(g.Generator, prepositions))
	g.nounPhrase(g.class())
}

// nounPhrase writes a noun of class c with its determiner, number and adjectives, and reports
// whether it is plural.
func (g *generator) nounPhrase(c *class) (plural bool) {
	p := nounPhrase{noun: portable.Pick(g.Generator, c.nouns)}
	if g.Chance(17) {
		p.number = g.number()
		p.plural = p.number > 1
		if p.plural && g.Chance(30) {
			p.determiner = definite
		}
	} else {
		p.determiner = portable.Pick(g.Generator, []determiner{definite, definite, indefinite, demonstrative})
		p.plural = g.Chance(35)
	}
	if g.Chance(25) {
		a := portable.Pick(g.Generator, adjectivesBefore)
		p.before = &a
	}
	if g.Chance(20) {
		p.behind = append(p.behind, portable.Pick(g.Generator, c.qualities))
	}
	if g.Chance(20) {
		p.behind = append(p.behind, portable.Pick(g.Generator, c.sorts))
	}
	g.add(p.english(), p.french())
	return p.plural
}

// number draws a number of things, mostly below a hundred.
func (g *generator) number() int {
	switch p := g.Below(100); {
	case p < 85:
		return 1 + g.Below(99)
	case p < 92:
		return 100 + g.Below(900)
	case p < 97:
		return 100 * (1 + g.Below(9))
	default:
		return 1000 + g.Below(maxNumber-999)
	}
}

// date writes a month, a day of a month, or a day with its weekday.
func (g *generator) date() {
	month := portable.Pick(g.Generator, months)
	if g.Chance(30) {
		g.say(word{"in", "en"})
		g.say(month)
		return
	}
	day := 1 + g.Below(31)
	g.add([]string{"on"}, []string{"le"})
	if g.Chance(50) {
		g.say(portable.Pick(g.Generator, weekdays))
	}
	g.add([]string{"the"}, nil)
	g.add(englishDay(day), frenchDay(day))
	g.add([]string{"of"}, nil)
	g.say(month)
}

// AppendLine appends the words of a sentence to a line as people write them: elided words without the
// space that follows, and English proper words with a capital letter. With commas, one precedes but,
// because, while and their translations.
func AppendLine(line []byte, words []string, commas bool) []byte {
	for i, word := range words {
		if i > 0 && !strings.HasSuffix(words[i-1], "'") {
			if commas && pausing[word] {
				line = append(line, ',')
			}
			line = append(line, ' ')
		}
		if proper[word] {
			line = append(line, word[0]-('a'-'A'))
			word = word[1:]
		}
		line = append(line, word...)
	}
	return line
}

// pausing are the words, in either language, that a comma may precede.
var pausing = map[string]bool{"but": true, "because": true, "while": true, "mais": true, "parce": true, "pendant": true}

// proper are the English words with a capital letter. None of them is a French word of the grammar.
var proper = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range slices.Concat(weekdays, months) {
		set[w.english] = true
	}
	for _, a := range beings.sorts { // nationalities
		set[a.english] = true
	}
	return set
}()

// Hyphenate returns words with hyphens inside the numbers below a hundred: twenty one becomes twenty-one,
// and quatre vingt deux quatre-vingt-deux. Like the spelling before 1990, vingt et un has none.
func Hyphenate(words []string) []string {
	var joined []string
	for i, word := range words {
		if i > 0 && hyphenated(words[i-1], word) {
			joined[len(joined)-1] += "-" + word
		} else {
			joined = append(joined, word)
		}
	}
	return joined
}

// hyphenated reports whether two words that follow each other are parts of a number below a hundred.
func hyphenated(a, b string) bool {
	in := func(list []string, word string) bool { return word != "" && slices.Contains(list, word) }
	return in(englishTens[2:], a) && (in(englishSmall[1:10], b) || in(englishOrdinals[1:10], b)) ||
		(in(frenchTens[2:], a) || a == "dix") && (in(frenchSmall[1:], b) || b == "une") ||
		a == "quatre" && (b == "vingt" || b == "vingts")
}
