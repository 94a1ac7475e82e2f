package main

import (
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// often is how many times words and phrases stand in the text.
const often = 128

// short adds what people type first and few sentences of corpora are: words alone, greetings, amounts, short sentences
// without capitals and full stops, and headlines.
func short(sources, targets []string, languages [2]string, add func(s, t string)) {
	words := dictionary(sources, targets)
	random := rand.New(rand.NewPCG(3, 4))
	for range often {
		for _, e := range words {
			add(e.source, e.target)
		}
		for _, p := range phrases {
			s, t := ordered(p, languages)
			add(s, t)
			add(lowered(s, t))
			for _, lower := range []bool{false, true} {
				if s, t, ok := typed(s, t, lower); ok {
					add(s, t)
				}
			}
		}
		for range 8 {
			for _, a := range amounts {
				add(ordered(filled(random, a), languages))
			}
		}
	}
	for i, source := range sources {
		n := len(strings.Fields(source))
		if n <= 4 {
			for _, lower := range []bool{false, true} {
				if s, t, ok := typed(source, targets[i], lower); ok {
					add(s, t)
				}
			}
		}
		if s, t, ok := typed(source, targets[i], false); ok && n >= 3 && i%16 == 0 && languages[0] == "en" {
			add(headline(s), t)
		}
	}
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// headline returns a title, in which all words but small ones have a capital.
func headline(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		if i == 0 || !small[w] {
			words[i] = capital(w)
		}
	}
	return strings.Join(words, " ")
}

var small = map[string]bool{"a": true, "an": true, "and": true, "at": true, "by": true, "for": true, "in": true, "of": true, "on": true, "or": true, "the": true, "to": true, "with": true}
