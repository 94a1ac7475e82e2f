package bpe

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// sentences returns the words of each line.
func sentences(lines string) [][]string {
	var list [][]string
	for line := range strings.Lines(lines) {
		list = append(list, text.Tokens(line))
	}
	return list
}

// counted returns the frequencies of the words of lines.
func counted(lines string) Frequencies {
	f := make(Frequencies)
	f.Add(text.Tokens(lines))
	return f
}

// learned returns up to the given number of merges.
func learned(t testing.TB, f Frequencies, merges, minFrequency int) Codes {
	t.Helper()
	all, err := Merges(f, minFrequency)
	if err != nil {
		t.Fatal(err)
	}
	var codes Codes
	for m := range all {
		if len(codes) == merges {
			break
		}
		codes = append(codes, m)
	}
	return codes
}

// segmented returns lines with each word replaced by its segments, separated by spaces.
func segmented(s *Segmenter, lines string) string {
	var out strings.Builder
	for _, words := range sentences(lines) {
		out.WriteString(strings.Join(segments(s, words), " ") + "\n")
	}
	return out.String()
}

// segments returns the segments of the words.
func segments(s *Segmenter, words []string) []string {
	var list []string
	for _, word := range words {
		list = s.Segment(list, word)
	}
	return list
}

// encoded returns what v writes.
func encoded(t testing.TB, v io.WriterTo) string {
	t.Helper()
	var out strings.Builder
	n, err := v.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatalf("WriteTo returned %d and error %v after %d bytes", n, err, out.Len())
	}
	return out.String()
}

// lines returns the lines of a file of codes after the first.
func (c Codes) lines() string {
	var out strings.Builder
	for _, m := range c {
		out.WriteString(m.Left + " " + m.Right + "\n")
	}
	return out.String()
}

// lines returns f as subword-nmt's get-vocab writes it: a word and its frequency on each line, by
// descending frequency, then by the bytes of the word.
func (f Frequencies) lines() string {
	words := slices.Sorted(maps.Keys(f))
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(f[b], f[a]) })
	var out strings.Builder
	for _, word := range words {
		fmt.Fprintf(&out, "%s %d\n", word, f[word])
	}
	return out.String()
}

// compareLines reports the first line that differs.
func compareLines(t *testing.T, what, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) {
			t.Errorf("%s: %d lines, want %d", what, len(g), len(w))
		} else if g[i] != w[i] {
			t.Errorf("%s: line %d: %q, want %q", what, i+1, g[i], w[i])
		} else {
			continue
		}
		return
	}
}
