package main

import (
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// A writer writes the words of sentences as people do.
type writer struct {
	draws           rand.PCG
	english, french []byte // the lines
}

func newWriter(seed uint64) *writer {
	const stream = 2 // package grammar has 0 and 1
	return &writer{draws: *rand.NewPCG(seed, stream)}
}

func (w *writer) below(n int) int {
	high, _ := bits.Mul64(w.draws.Uint64(), uint64(n))
	return int(high)
}

// chance reports true with a probability of percent/100.
func (w *writer) chance(percent int) bool { return w.below(100) < percent }

// write returns the lines of a pair of sentences, which are valid until the next call.
func (w *writer) write(p text.Pair) (english, french []byte) {
	w.english, w.french = w.english[:0], w.french[:0]
	quoted := w.chance(3)
	if quoted {
		w.add("“", "«\u00a0")
	}
	w.beginning()
	commas := w.chance(60)
	w.english = grammar.AppendLine(w.english, p.Source[:len(p.Source)-1], commas)
	w.french = grammar.AppendLine(w.french, p.Target[:len(p.Target)-1], commas)
	w.remark()
	w.end()
	if quoted {
		w.add("”", "\u00a0»")
	}
	w.address()
	w.english, w.french = capitalize(w.english), capitalize(w.french)
	return w.english, w.french
}

// add appends text to both lines.
func (w *writer) add(english, french string) {
	w.english, w.french = append(w.english, english...), append(w.french, french...)
}

// beginning writes what some sentences have before the clause.
func (w *writer) beginning() {
	switch p := w.below(100); {
	case p < 25:
		name := w.name()
		w.add("according to "+name+", ", "selon "+name+", ")
	case p < 33:
		name := w.name()
		w.add("in "+name+"'s letter, ", "dans la lettre de "+name+", ")
	case p < 41:
		year := strconv.Itoa(1700 + w.below(330))
		w.add("in "+year+", ", "en "+year+", ")
	}
}

// remark writes what some sentences have between parentheses.
func (w *writer) remark() {
	switch p := w.below(100); {
	case p < 3:
		whole, tenth := strconv.Itoa(w.below(100)), strconv.Itoa(w.below(10))
		w.add(" ("+whole+"."+tenth+"%)", " ("+whole+","+tenth+"\u00a0%)")
	case p < 6:
		page := strconv.Itoa(1 + w.below(999))
		w.add(" (see page "+page+")", " (voir page "+page+")")
	}
}

func (w *writer) end() {
	if w.chance(4) {
		w.add("!", "\u202f!")
		return
	}
	w.add(".", ".")
}

// address writes a sentence with a web or mail address behind some sentences.
func (w *writer) address() {
	switch p := w.below(200); {
	case p < 2:
		host := strings.ToLower(w.name())
		page := "https://www." + host + ".example/" + strconv.Itoa(w.below(10_000)) + ".html"
		w.add(" See "+page+" for more.", " Voir "+page+" pour en savoir plus.")
	case p < 3:
		person, host := strings.ToLower(w.name()), strings.ToLower(w.name())
		mail := person + "@" + host + ".example"
		w.add(" Write to "+mail+".", " Écrivez à "+mail+".")
	}
}

// rankBits is the binary logarithm of the number of names.
const rankBits = 20

// name draws a name. Half of the ranks above 2^k are below 2^(k+1), and each of these octaves is
// equally likely: the frequency of a rank is 1/r within a factor of two.
func (w *writer) name() string {
	octave := w.below(rankBits)
	return nameOf(1<<octave + w.below(1<<octave))
}

// nameOf returns the name of a rank, from 1 to 2^rankBits-1. Names of small ranks are short, and ranks
// have different names.
func nameOf(rank int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	endings := [...]string{"n", "", "rt", "l", "ska"}
	name := []byte{}
	ending := endings[rank%len(endings)]
	for rest := rank / len(endings); rest > 0 || len(name) < 4; {
		name = append(name, consonants[rest%len(consonants)])
		rest /= len(consonants)
		name = append(name, vowels[rest%len(vowels)])
		rest /= len(vowels)
	}
	name[0] -= 'a' - 'A'
	return string(name) + ending
}

// capitalize makes the first letter of the line a capital. No sentence begins with a letter whose
// capital has another length.
func capitalize(line []byte) []byte {
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case 'a' <= r && r <= 'z':
			line[i] -= 'a' - 'A'
			return line
		case 'A' <= r && r <= 'Z':
			return line
		}
		i += n
	}
	return line
}
