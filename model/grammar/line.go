package grammar

import (
	"slices"
	"strings"
)

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
