package bpe

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// TestOracle compares with what testdata/oracle.py wrote.
func TestOracle(t *testing.T) {
	languages := []string{"en", "fr"}
	f := make(Frequencies)
	for _, language := range languages {
		f.Add(text.Tokens(testdata(t, "corpus."+language)))
	}
	codes := learned(t, f, 250, 2)
	want := testdata(t, "codes")
	compareLines(t, "codes", written(t, codes), want)
	if read, err := ReadCodes(strings.NewReader(want)); err != nil || !slices.Equal(read, codes) {
		t.Errorf("%d codes of the file: %v", len(read), err)
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
	compareLines(t, "vocabulary", written(t, vocabulary), want)
	if read, err := ReadFrequencies(strings.NewReader(want)); err != nil || !maps.Equal(read, vocabulary) {
		t.Errorf("%d entries of the vocabulary's file: %v", len(read), err)
	}
	restricted := segmented(NewSegmenter(codes, vocabulary, 2), corpus)
	compareLines(t, "restricted", restricted, testdata(t, "restricted."+language))
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
