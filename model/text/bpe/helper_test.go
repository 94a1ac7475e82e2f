package bpe

import (
	"io"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// sentences returns the words of lines.
func sentences(lines string) [][]string {
	var list [][]string
	for line := range strings.Lines(lines) {
		list = append(list, text.Tokens(line))
	}
	return list
}

// counted returns how often the words of lines occur.
func counted(lines string) Frequencies {
	f := make(Frequencies)
	f.Add(text.Tokens(lines))
	return f
}

// learned returns the codes of at most the given number of merges.
func learned(t testing.TB, f Frequencies, merges, minFrequency int) Codes {
	t.Helper()
	codes, err := Learn(f, merges, minFrequency)
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

// segmented returns the segments of the words of lines, with a space between them and an LF
// after a line.
func segmented(s *Segmenter, lines string) string {
	var out strings.Builder
	for _, words := range sentences(lines) {
		out.WriteString(strings.Join(segments(s, words), " ") + "\n")
	}
	return out.String()
}

func segments(s *Segmenter, words []string) []string {
	var list []string
	for _, word := range words {
		list = s.Segment(list, word)
	}
	return list
}

// written returns what v writes.
func written(t testing.TB, v io.WriterTo) string {
	t.Helper()
	var out strings.Builder
	n, err := v.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatalf("%d of %d bytes, %v", n, out.Len(), err)
	}
	return out.String()
}

// lines returns the merges as a file of codes has them, without the first line.
func (c Codes) lines() string {
	var out strings.Builder
	for _, m := range c {
		out.WriteString(m.Left + " " + m.Right + "\n")
	}
	return out.String()
}

// compareLines reports the first line in which got and want differ.
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
