package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/internal/portable"
)

// typed returns a pair as people type it: three times in four without some of its final mark, capitals, accents,
// apostrophes and spaces before French marks, once in seven with a typo. The translation has a final mark and an initial
// capital where the source has.
func typed(g *portable.Generator, p pair, source int) pair {
	if code(p) {
		return p
	}
	if g.Chance(75) {
		if g.Chance(80) {
			p = unmarked(p)
		}
		if g.Chance(80) {
			p = lowered(g, p, source)
		}
		if source == french && g.Chance(50) {
			p[source] = plain.Replace(p[source])
		}
		if source == french && g.Chance(50) {
			p[source] = spaces.Replace(p[source])
		}
		if g.Chance(15) {
			p[source] = apostrophes.Replace(p[source])
		}
	}
	if g.Chance(15) {
		p[source] = mistyped(g, p[source])
	}
	return p
}

// code reports whether a pair may hold code, placeholders or addresses.
func code(p pair) bool { return strings.ContainsAny(p[english]+p[french], "{}[]<>%$@_=`/\\|*:") }

var (
	spaces      = strings.NewReplacer(" ?", "?", " !", "!", " :", ":", " ;", ";", "« ", "\"", " »", "\"")
	apostrophes = strings.NewReplacer("'", "", "’", "")
	plain       = strings.NewReplacer("à", "a", "â", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "î", "i", "ï", "i", "ô", "o",
		"ù", "u", "û", "u", "ü", "u", "œ", "oe", "À", "A", "Â", "A", "Ç", "C", "É", "E", "È", "E", "Ê", "E", "Î", "I", "Ô", "O", "Œ", "Oe")
)

// unmarked returns a pair without final marks, except in p.m.
func unmarked(p pair) pair {
	for side, line := range p {
		if short := strings.TrimRight(line, ".?! "); short != "" && !strings.Contains(short[strings.LastIndex(short, " ")+1:], ".") {
			p[side] = short
		}
	}
	return p
}

// lowered returns a pair whose source has no capital at its beginning, or none at all. The translation begins with a
// capital if that is a name or the English I.
func lowered(g *portable.Generator, p pair, source int) pair {
	target := p[1-source]
	word := target[:len(target)-len(strings.TrimLeftFunc(target, unicode.IsLetter))]
	if word != "I" && !strings.Contains(p[source], word) && !strings.Contains(namesFile, "/"+word+"\t") {
		p[1-source] = initial(target, unicode.ToLower)
	}
	if g.Chance(60) {
		p[source] = strings.ToLower(p[source])
	} else {
		p[source] = initial(p[source], unicode.ToLower)
	}
	return p
}

func initial(s string, f func(rune) rune) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(f(r)) + s[n:]
}

// mistyped returns a line with two letters of a word exchanged, or one lost or twice.
func mistyped(g *portable.Generator, line string) string {
	words := strings.Split(line, " ")
	i := g.Below(len(words))
	w := []rune(words[i])
	letters := strings.IndexFunc(words[i], func(r rune) bool { return !unicode.IsLower(r) }) // a capital may begin a name
	if len(w) < 4 || letters >= 0 {
		return line
	}
	at := 1 + g.Below(len(w)-2)
	switch g.Below(3) {
	case 0:
		w[at], w[at+1] = w[at+1], w[at]
	case 1:
		w = append(w[:at], w[at+1:]...)
	case 2:
		w = append(w[:at], w[at-1:]...)
	}
	words[i] = string(w)
	return strings.Join(words, " ")
}

// shout returns a pair in capitals, half the time without accents if its source is French.
func shout(g *portable.Generator, p pair, source int) pair {
	if source == french && g.Chance(50) {
		p[french] = plain.Replace(p[french])
	}
	return pair{strings.ToUpper(p[english]), strings.ToUpper(p[french])}
}

// title returns a line in which all words but small ones have a capital.
func title(line string) string {
	words := strings.Split(line, " ")
	for i, w := range words {
		if i == 0 || !strings.Contains(" a an and at by for in of on or the to with ", " "+w+" ") {
			words[i] = initial(w, unicode.ToUpper)
		}
	}
	return strings.Join(words, " ")
}
