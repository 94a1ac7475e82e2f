package bpe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Frequencies says how often words occur, or segments.
type Frequencies map[string]int

// Add counts words on top of what f has.
func (f Frequencies) Add(words []string) {
	for _, word := range words {
		if n, ok := f[word]; ok {
			f[word] = n + 1
		} else {
			f[strings.Clone(word)] = 1 // not the line that word is a part of
		}
	}
}

// words returns the words in the order of their bytes. It is an error if one is empty, has
// a space, CR or LF, or a frequency below 1.
func (f Frequencies) words() ([]string, error) {
	words := slices.Sorted(maps.Keys(f))
	for _, word := range words {
		if err := checkWord(word); err != nil {
			return nil, fmt.Errorf("bpe: word %w", err)
		}
		if n := f[word]; n < 1 {
			return nil, fmt.Errorf("bpe: word %q: frequency %d, expected at least 1", word, n)
		}
	}
	return words, nil
}
