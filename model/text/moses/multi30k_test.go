package moses

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var multi30k = filepath.Join("..", "..", "..", "..", "shared", "data", "multi30k")

// onMulti30k runs test for every file of image captions, 62,028 lines altogether. Short tests
// leave the large files out.
func onMulti30k(t *testing.T, test func(t *testing.T, file, language string)) {
	if _, err := os.Stat(multi30k); err != nil {
		t.Skipf("no Multi30k: %v", err)
	}
	splits := []string{"val", "test_2016_flickr"}
	if !testing.Short() {
		splits = append(splits, "train")
	}
	for _, split := range splits {
		for _, language := range []string{"en", "fr"} {
			file := split + "." + language
			t.Run(file, func(t *testing.T) { test(t, file, language) })
		}
	}
}

// lines returns the lines of a file without their ends.
func lines(t *testing.T, path ...string) []string {
	t.Helper()
	contents, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(contents), "\n"), "\n")
}

// TestMulti30k compares with what the scripts of December 2017 made of the captions:
// lowercase.perl | normalize-punctuation.perl -l LANGUAGE | tokenizer.perl -l LANGUAGE.
func TestMulti30k(t *testing.T) {
	onMulti30k(t, func(t *testing.T, file, language string) {
		raw, tok := lines(t, multi30k, "raw", file), lines(t, multi30k, "tok", file)
		if len(raw) != len(tok) {
			t.Fatalf("%d lines of text, %d of words", len(raw), len(tok))
		}
		tokenizer := Tokenizer{Language: language, Lowercase: true, Normalize: true, Escape: true}
		equal := 0
		for i, line := range raw {
			got, want := tokenizer.Tokenize(line), strings.Fields(tok[i])
			if !slices.Equal(got, want) {
				t.Errorf("line %d: %q\n got %q\nwant %q", i+1, line, got, want)
				continue
			}
			equal++
		}
		t.Logf("%d of %d lines are equal", equal, len(raw))
	})
}

// TestMulti30kBack divides captions into words and joins them. Where that does not give the
// caption back, it gives a line that comes back.
func TestMulti30kBack(t *testing.T) {
	onMulti30k(t, func(t *testing.T, file, language string) {
		tokenizer := Tokenizer{Language: language, SplitHyphens: true, Escape: true}
		raw := lines(t, multi30k, "raw", file)
		equal := 0
		for i, line := range raw {
			back := Detokenize(language, tokenizer.Tokenize(line))
			if again := Detokenize(language, tokenizer.Tokenize(back)); again != back {
				t.Errorf("line %d: %q\n then %q\n then %q", i+1, line, back, again)
			}
			if back == strings.Join(strings.Fields(line), " ") {
				equal++
			}
		}
		t.Logf("%d of %d lines come back", equal, len(raw))
		if float64(equal) < 0.998*float64(len(raw)) {
			t.Errorf("%d of %d lines come back, want 99.8 %%", equal, len(raw))
		}
	})
}
