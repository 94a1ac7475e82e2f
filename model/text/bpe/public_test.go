package bpe

import (
	"slices"
	"strings"
	"testing"
)

// What is published about subword-nmt, github.com/rsennrich/subword-nmt.

// subword_nmt/tests/test_bpe.py segments these words by tests/data/bpe.ref. Of its merges,
// these can apply to them.
func TestPublishedSegments(t *testing.T) {
	codes, err := ReadCodes(strings.NewReader(`#version: 0.2
e n
o n
o n</w>
r o
en t</w>
e m
i r
m ent</w>
m e
em ent</w>
`))
	if err != nil {
		t.Fatal(err)
	}
	s := NewSegmenter(codes, nil, 0)
	tests := []struct{ word, want string }{
		{"iron", "ir@@ on"},
		{"cement", "c@@ ement"},
		{"iron\u00a0cement", "ir@@ on@@ \u00a0@@ c@@ ement"},
	}
	for _, test := range tests {
		if got := strings.Join(s.Segment(nil, test.word), " "); got != test.want {
			t.Errorf("%q: %q, want %q", test.word, got, test.want)
		}
	}
}

// The README and issue 19 explain the end of a word by "und" and "fund": the merges are
// these two, so that neither "un" nor "und@@" can come out.
func TestPublishedEndOfWord(t *testing.T) {
	codes := learned(t, Frequencies{"und": 1, "fund": 1}, 10, 2)
	if got, want := codes.lines(), "u n\nun d</w>\n"; got != want {
		t.Errorf("merges %q, want %q", got, want)
	}
	s := NewSegmenter(codes, nil, 0)
	if got, want := segmented(s, "und fund funds fun"), "und f@@ und f@@ un@@ d@@ s f@@ u@@ n\n"; got != want {
		t.Errorf("segments %q, want %q", got, want)
	}
}

// Issue 57 of OpenNMT/Tokenizer shows the merges of six words where the original and it
// agree: one, of a combining mark with the letter after it.
func TestPublishedCombiningMark(t *testing.T) {
	codes := learned(t, counted("u̇ u̇e ṫ ṫe v̇ v̇e"), 2, 2)
	if want := (Codes{{"\u0307", "e</w>"}}); !slices.Equal(codes, want) {
		t.Errorf("merges %q, want %q", codes, want)
	}
}

// The dictionary of algorithm 1 of Sennrich, Haddow and Birch (2016), merged by hand: the
// last characters have the mark from the start, and of equal counts the last pair wins.
func TestPaper(t *testing.T) {
	f := Frequencies{"low": 5, "lower": 2, "newest": 6, "widest": 3}
	const want = `s t</w>
e st</w>
l o
w est</w>
n e
ne west</w>
lo w</w>
w i
wi d
wid est</w>
w e
we r</w>
lo wer</w>
`
	codes := learned(t, f, 100, 2)
	if got := codes.lines(); got != want {
		t.Errorf("merges\n%swant\n%s", got, want)
	}
	if fewer := learned(t, f, 5, 2); !slices.Equal(fewer, codes[:5]) {
		t.Errorf("five merges: %q", fewer)
	}
	if frequent := learned(t, f, 100, 6); !slices.Equal(frequent, codes[:6]) {
		t.Errorf("merges of pairs that occur six times: %q", frequent)
	}
}
