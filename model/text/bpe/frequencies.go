package bpe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Frequencies maps words, or segments, to the number of their occurrences.
type Frequencies map[string]int

// Add adds one occurrence of each of the words. It panics if f is nil.
func (f Frequencies) Add(words []string) {
	if f == nil {
		panic("bpe: Add: nil frequencies")
	}
	for _, word := range words {
		if n, ok := f[word]; ok {
			f[word] = n + 1
		} else {
			f[strings.Clone(word)] = 1 // a copy, so that f does not keep the whole line in memory
		}
	}
}

// words returns the words sorted by their bytes. It returns an error if a word is empty,
// contains a space, CR or LF, or has a frequency below 1.
func (f Frequencies) words() ([]string, error) {
	words := slices.Sorted(maps.Keys(f))
	for _, word := range words {
		if err := checkWord(word); err != nil {
			return nil, fmt.Errorf("word %w", err)
		}
		if n := f[word]; n < 1 {
			return nil, fmt.Errorf("word %.80q: frequency %d, expected at least 1", word, n)
		}
	}
	return words, nil
}
