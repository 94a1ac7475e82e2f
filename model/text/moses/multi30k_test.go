package moses

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var multi30k = filepath.Join("..", "..", "..", "..", "shared", "data", "multi30k")

// onMulti30k runs test on every file of Multi30k, image captions of 62,028 lines in all. Only full
// tests have the large files.
func onMulti30k(t *testing.T, test func(t *testing.T, file, language string)) {
	if _, err := os.Stat(multi30k); err != nil {
		t.Skipf("Multi30k is missing: %v", err)
	}
	splits := []string{"val", "test_2016_flickr"}
	if os.Getenv("SOFTSEARCH_TEST") == "full" {
		splits = append(splits, "train")
	}
	for _, split := range splits {
		for _, language := range []string{"en", "fr"} {
			file := split + "." + language
			t.Run(file, func(t *testing.T) { test(t, file, language) })
		}
	}
}

// lines returns the lines of a file without line ends.
func lines(t *testing.T, path ...string) []string {
	t.Helper()
	contents, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(contents), "\n"), "\n")
}

// TestMulti30k compares with the output of the scripts of December 2017 for the captions:
// lowercase.perl | normalize-punctuation.perl -l LANGUAGE | tokenizer.perl -l LANGUAGE.
func TestMulti30k(t *testing.T) {
	onMulti30k(t, func(t *testing.T, file, language string) {
		raw, tok := lines(t, multi30k, "raw", file), lines(t, multi30k, "tok", file)
		if len(raw) != len(tok) {
			t.Fatalf("%d lines in raw, %d in tok", len(raw), len(tok))
		}
		tokenizer := Tokenizer{Language: language, Lowercase: true, Normalize: true}
		escapes := strings.NewReplacer("&", "&amp;", "|", "&#124;", "<", "&lt;", ">", "&gt;", "'", "&apos;", `"`, "&quot;", "[", "&#91;", "]", "&#93;")
		equal := 0
		for i, line := range raw {
			got, want := escapes.Replace(strings.Join(tokenizer.Tokenize(line), " ")), strings.Join(strings.Fields(tok[i]), " ")
			if got != want {
				t.Errorf("line %d: %q\n got %q\nwant %q", i+1, line, got, want)
				continue
			}
			equal++
		}
		t.Logf("%d of %d lines are equal", equal, len(raw))
	})
}

// TestMulti30kRoundTrip tokenizes and detokenizes captions. A line that this changes must not change
// again in a second round.
func TestMulti30kRoundTrip(t *testing.T) {
	onMulti30k(t, func(t *testing.T, file, language string) {
		tokenizer := Tokenizer{Language: language}
		raw := lines(t, multi30k, "raw", file)
		equal := 0
		for i, line := range raw {
			back := detokenize(language, tokenizer.Tokenize(line))
			if again := detokenize(language, tokenizer.Tokenize(back)); again != back {
				t.Errorf("line %d: %q\n then %q\n then %q", i+1, line, back, again)
			}
			if back == strings.Join(strings.Fields(line), " ") {
				equal++
			}
		}
		t.Logf("%d of %d lines are unchanged", equal, len(raw))
		if float64(equal) < 0.998*float64(len(raw)) {
			t.Errorf("%d of %d lines are unchanged, want 99.8 %%", equal, len(raw))
		}
	})
}
