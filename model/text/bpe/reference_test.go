package bpe

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// TestOracle compares with the files that testdata/oracle.py wrote.
func TestOracle(t *testing.T) {
	languages := []string{"en", "fr"}
	f := make(Frequencies)
	for _, language := range languages {
		f.Add(text.Tokens(testdata(t, "corpus."+language)))
	}
	codes := learned(t, f, 250, 2)
	want := testdata(t, "codes")
	compareLines(t, "codes", encoded(t, codes), want)
	if read, err := ReadCodes(strings.NewReader(want)); err != nil || !slices.Equal(read, codes) {
		t.Errorf("%d codes read from the file, error %v; want those learned", len(read), err)
	}
	for _, language := range languages {
		t.Run(language, func(t *testing.T) { compareSegments(t, codes, language) })
	}
}

func compareSegments(t *testing.T, codes Codes, language string) {
	corpus := testdata(t, "corpus."+language)
	lines := segmented(NewSegmenter(codes, nil, 0), corpus)
	compareLines(t, "segments", lines, testdata(t, "segments."+language))
	vocabulary := counted(lines)
	want := testdata(t, "vocabulary."+language)
	compareLines(t, "vocabulary", vocabulary.lines(), want)
	filtered := segmented(NewSegmenter(codes, vocabulary, 2), corpus)
	compareLines(t, "restricted", filtered, testdata(t, "restricted."+language))
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// multi30k returns a file of tokenized text of Multi30k, or skips the test if it is missing.
func multi30k(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "data", "multi30k", "tok", name))
	if err != nil {
		t.Skipf("Multi30k is missing: %v", err)
	}
	return string(content)
}

// TestMulti30k compares with digests of files made in Python by the published steps of
// subword-nmt's learn_bpe.py and apply_bpe.py: 10,000 merges learned from both languages, and
// the validation text in segments that occur at least 50 times in the training text of its
// language.
func TestMulti30k(t *testing.T) {
	if os.Getenv("SOFTSEARCH_TEST") != "full" {
		t.Skip("800,000 words")
	}
	languages := []string{"en", "fr"}
	f := make(Frequencies)
	for _, language := range languages {
		f.Add(text.Tokens(multi30k(t, "train."+language)))
	}
	codes := learned(t, f, 10_000, 2)
	compareDigest(t, "codes", encoded(t, codes), "10d33e184381e776cf1bfe863734673de7539164041dafd915363697d49f00e6")
	validation := map[string]string{
		"en": "febece4ea054a8171190714253e6e36a4a578b238193f7e80ca45a015a586e0f",
		"fr": "b353bb35170a0f17a2721c08e7dae3e90f541c3dd1693f33429b309f98cf1e35",
	}
	for _, language := range languages {
		vocabulary := counted(segmented(NewSegmenter(codes, nil, 0), multi30k(t, "train."+language)))
		filtered := segmented(NewSegmenter(codes, vocabulary, 50), multi30k(t, "val."+language))
		compareDigest(t, language, filtered, validation[language])
	}
}

func compareDigest(t *testing.T, what, content, want string) {
	t.Helper()
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(content))); got != want {
		t.Errorf("%s: SHA-256 %s of %d bytes, want %s", what, got, len(content), want)
	}
}

// TestPublishedSegments has words of subword_nmt/tests/test_bpe.py in
// github.com/rsennrich/subword-nmt, and the merges of its tests/data/bpe.ref that can apply to
// them.
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

// TestPublishedEndOfWord has the words "und" and "fund", by which the README and a report to
// subword-nmt explain the end of a word: with these two merges, neither "un" nor "und@@" can
// result.
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

// TestPublishedCombiningMark has the six words of a report to OpenNMT/Tokenizer, for which it and
// subword-nmt agree on one merge: a combining mark with the letter after it.
func TestPublishedCombiningMark(t *testing.T) {
	codes := learned(t, counted("u̇ u̇e ṫ ṫe v̇ v̇e"), 2, 2)
	if want := (Codes{{"\u0307", "e</w>"}}); !slices.Equal(codes, want) {
		t.Errorf("merges %q, want %q", codes, want)
	}
}

// TestPaper has the dictionary of algorithm 1 of Sennrich, Haddow and Birch (2016), merged by
// hand: "</w>" is part of the last character, and the greatest pair wins a tie.
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
		t.Errorf("5 merges: %q", fewer)
	}
	if frequent := learned(t, f, 100, 6); !slices.Equal(frequent, codes[:6]) {
		t.Errorf("minimum frequency 6: merges %q", frequent)
	}
}
