package bpe

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteTo writes f in the format of subword-nmt's get-vocab: a line has a word, a space and
// the frequency. The lines are ordered by falling frequency; words of equal frequency are
// in the order of their bytes. It is an error if a word is empty, has a space, CR or LF, or
// a frequency below 1, and nothing is written then.
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

// ReadFrequencies reads what [Frequencies.WriteTo] or get-vocab wrote. Lines end with LF or
// CRLF. An error names the line that has something else than a word, a space and a
// frequency of at least 1, or a word that another line has.
func ReadFrequencies(r io.Reader) (Frequencies, error) {
	lines, err := readLines(r)
	if err != nil {
		return nil, err
	}
	f := make(Frequencies, len(lines))
	for i, line := range lines {
		word, number, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(number)
		if checkWord(word) != nil || err != nil || n < 1 {
			return nil, fmt.Errorf("bpe: line %d: %q: expected a word, a space and a frequency of at least 1", i+1, line)
		}
		if _, ok := f[word]; ok {
			return nil, fmt.Errorf("bpe: line %d: %q has a line already", i+1, word)
		}
		f[word] = n
	}
	return f, nil
}
