package pipeline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A letterCase is how a token is written. Its character stands before tokens in lower case that a vocabulary counts.
type letterCase byte

const (
	lower    letterCase = iota
	first               // a capital at the beginning of a sentence, which words do not show
	capital             // a capital at the beginning
	parts               // at the beginning of each part of a compound with hyphens or apostrophes
	capitals            // everywhere
)

// marks are the words before words that are not in lower case.
var marks = [...]string{lower: "", first: "", capital: "⇧", parts: "⇈", capitals: "⇪"}

// markOf returns the case that a word is the mark of, lower for other words.
func markOf(word string) letterCase {
	if strings.HasPrefix(word, "⇧") || strings.HasPrefix(word, "⇈") || strings.HasPrefix(word, "⇪") {
		return letterCase(max(0, slices.Index(marks[:], word)))
	}
	return lower
}

// caseOf returns the case of a token and the token in lower case. One that no case makes of lower case stays as it is.
// The English I is always a capital.
func caseOf(language, token string, isFirst bool) (letterCase, string) {
	if !strings.ContainsFunc(token, unicode.IsUpper) {
		return lower, token
	}
	small := strings.ToLower(token)
	for _, c := range [...]letterCase{capital, capitals, parts} {
		if c.of(small) != token {
			continue
		}
		switch {
		case language == "en" && token == "I":
			c = lower
		case c == capital && isFirst:
			c = first
		}
		return c, small
	}
	return lower, token
}

// uncased returns the case of a token and the token in lower case.
func uncased(token string) (letterCase, string) {
	if len(token) > 1 && token[0] <= byte(capitals) {
		return letterCase(token[0]), token[1:]
	}
	return lower, token
}

// of returns a token in lower case as it is written.
func (c letterCase) of(token string) string {
	switch c {
	case first, capital:
		return upperFirst(token)
	case capitals:
		return strings.ToUpper(token)
	case parts:
		begins := true
		return strings.Map(func(r rune) rune {
			if begins && isWordRune(r) {
				begins = false
				return unicode.ToUpper(r)
			}
			begins = begins || r == '-' || r == '\''
			return r
		}, token)
	}
	return token
}

// upperFirst returns a word with a capital as its first letter, unless a digit is before it.
func upperFirst(word string) string {
	i := strings.IndexFunc(word, isWordRune)
	if i < 0 {
		return word
	}
	r, n := utf8.DecodeRuneInString(word[i:])
	return word[:i] + string(unicode.ToUpper(r)) + word[i+n:]
}
