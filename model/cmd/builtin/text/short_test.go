package main

import (
	"slices"
	"strings"
	"testing"
)

// words is text in which each English word has one French translation, and "the" two.
func words() (english, french []string) {
	for range 4 {
		english = append(english, "The dog sleeps.", "The cat sleeps.", "The dog eats, Tom.", "The house", "It's a rare-bit.")
		french = append(french, "Le chien dort.", "Le chat dort.", "Le chien mange, Tom.", "La maison", "C’est l’œuvre d'art.")
	}
	return english, french
}

// TestDictionary has words that are frequent and clear, others and those with apostrophes.
func TestDictionary(t *testing.T) {
	english, french := words()
	got := dictionary(english, french)
	if want := []entry{{"the", "le"}, {"dog", "chien"}, {"sleeps", "dort"}}; !slices.Equal(got, want) {
		t.Errorf("from English: got %q, want %q", got, want)
	}
	got = dictionary(french, english)
	if want := []entry{{"le", "the"}, {"chien", "dog"}, {"dort", "sleeps"}}; !slices.Equal(got, want) {
		t.Errorf("from French: got %q, want %q", got, want)
	}
}

// TestShort counts lines, and looks for one of each kind.
func TestShort(t *testing.T) {
	english, french := words()
	for _, languages := range [][2]string{{"en", "fr"}, {"fr", "en"}} {
		sources, targets := english, french
		if languages[0] == "fr" {
			sources, targets = french, english
		}
		lines := map[[2]string]int{}
		short(sources, targets, languages, func(s, t string) {
			if s == "" || t == "" {
				panic("empty line")
			}
			s, t = ordered([2]string{s, t}, languages)
			lines[[2]string{s, t}]++
		})
		for pair, want := range map[[2]string]int{
			{"dog", "chien"}:                    often,
			{"Sleeps", "Dort"}:                  0,
			{"Good luck!", "Bonne chance !"}:    often,
			{"good luck", "bonne chance"}:       often,
			{"the dog sleeps", "le chien dort"}: 4,
			{"The Dog Sleeps", "Le chien dort"}: map[string]int{"en": 1}[languages[0]],
			{"eats", "mange"}:                   0,
		} {
			if got := lines[pair]; got != want {
				t.Errorf("from %s: %q stands there %d times, want %d", languages[0], pair, got, want)
			}
		}
	}
	if got := headline("it's what the cat and I saw"); got != "It's What the Cat and I Saw" {
		t.Errorf("headline %q", got)
	}
	if strings.Contains(headline("a"), "a") {
		t.Error("a headline begins with a capital")
	}
}
