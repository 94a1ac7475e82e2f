package bpe

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Frequencies maps words, or segments, to the number of their occurrences.
type Frequencies map[string]int

// Add adds one occurrence of each of the words.
func (f Frequencies) Add(words []string) {
	for _, word := range words {
		if n, ok := f[word]; ok {
			f[word] = n + 1
		} else {
			f[strings.Clone(word)] = 1 // a copy, so that f does not keep the whole line in memory
		}
	}
}

// WriteTo writes f in the format of subword-nmt's get-vocab: one line per word with the word, a
// space and its frequency. Lines are sorted by descending frequency, then by the bytes of the
// word. If a word is empty, contains a space, CR or LF, or has a frequency below 1, WriteTo
// returns an error and writes nothing.
func (f Frequencies) WriteTo(w io.Writer) (int64, error) {
	words, err := f.words()
	if err != nil {
		return 0, err
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(f[b], f[a]) })
	var text bytes.Buffer
	for _, word := range words {
		fmt.Fprintf(&text, "%s %d\n", word, f[word])
	}
	return text.WriteTo(w)
}

// ReadFrequencies reads a file of [Frequencies.WriteTo] or get-vocab. Lines end with LF or CRLF. A
// byte-order mark at the beginning is skipped. An error names the first line that is not a word, a
// space and a frequency of at least 1, that repeats a word or is longer than 1 MiB.
func ReadFrequencies(r io.Reader) (Frequencies, error) {
	f := make(Frequencies)
	err := readLines(r, func(line string) error {
		word, number, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(number)
		if checkWord(word) != nil || err != nil || n < 1 {
			return fmt.Errorf("%.80q: expected a word, a space and a frequency of at least 1", line)
		}
		if _, ok := f[word]; ok {
			return fmt.Errorf("%.80q occurs on an earlier line", word)
		}
		f[word] = n
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// words returns the words sorted by their bytes. It returns an error if a word is empty,
// contains a space, CR or LF, or has a frequency below 1.
func (f Frequencies) words() ([]string, error) {
	words := slices.Sorted(maps.Keys(f))
	for _, word := range words {
		if err := checkWord(word); err != nil {
			return nil, fmt.Errorf("bpe: word %w", err)
		}
		if n := f[word]; n < 1 {
			return nil, fmt.Errorf("bpe: word %.80q: frequency %d, expected at least 1", word, n)
		}
	}
	return words, nil
}
