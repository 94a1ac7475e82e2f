package pipeline

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

var multi30k = filepath.Join("..", "..", "..", "..", "shared", "data", "multi30k")

// onMulti30k runs test on the captions of every split, raw and tokenized by Moses. Short tests skip
// the large split.
func onMulti30k(t *testing.T, test func(t *testing.T, language string, raw, tok []string)) {
	if _, err := os.Stat(multi30k); err != nil {
		t.Skipf("Multi30k is missing: %v", err)
	}
	splits := []string{"val", "test_2016_flickr"}
	if !testing.Short() {
		splits = append(splits, "train")
	}
	for _, split := range splits {
		for _, language := range []string{"en", "fr"} {
			file := split + "." + language
			t.Run(file, func(t *testing.T) {
				test(t, language, lines(t, multi30k, "raw", file), lines(t, multi30k, "tok", file))
			})
		}
	}
}

// unescape reverses the escapes of the Moses scripts.
var unescape = strings.NewReplacer("&amp;", "&", "&#124;", "|", "&lt;", "<", "&gt;", ">",
	"&apos;", "'", "&quot;", `"`, "&#91;", "[", "&#93;", "]")

// TestMulti30kWords compares with the words of the Moses scripts without escapes.
func TestMulti30kWords(t *testing.T) {
	onMulti30k(t, func(t *testing.T, language string, raw, tok []string) {
		p := newPipeline(t, Settings{Language: language, Lowercase: true})
		for i, line := range raw {
			if got, want := p.Words(line), strings.Fields(unescape.Replace(tok[i])); !slices.Equal(got, want) {
				t.Errorf("line %d: %q\n got %q\nwant %q", i+1, line, got, want)
			}
		}
	})
}

// TestMulti30kRoundTrip converts captions to words and back. Normalized characters and runs of spaces
// do not come back.
func TestMulti30kRoundTrip(t *testing.T) {
	onMulti30k(t, func(t *testing.T, language string, raw, _ []string) {
		p := newPipeline(t, Settings{Language: language})
		equal := 0
		for _, line := range raw {
			if p.Line(p.Words(line)) == strings.Join(strings.Fields(line), " ") {
				equal++
			}
		}
		t.Logf("%d of %d lines are unchanged, %.2f %%", equal, len(raw), 100*float64(equal)/float64(len(raw)))
		if float64(equal) < 0.997*float64(len(raw)) {
			t.Errorf("%d of %d lines are unchanged, want 99.7 %%", equal, len(raw))
		}
	})
}

// TestMulti30kSegments learns 10,000 merges and the segments that occur at least 50 times. The
// digests of the validation text are those of package bpe, made in Python by the published steps of
// subword-nmt.
func TestMulti30kSegments(t *testing.T) {
	if testing.Short() {
		t.Skip("800,000 words")
	}
	folder := filepath.Join(multi30k, "tok")
	pairs, err := text.ReadParallel(filepath.Join(folder, "train.en"), filepath.Join(folder, "train.fr"))
	if err != nil {
		t.Skipf("Multi30k is missing: %v", err)
	}
	source, target, err := Learn(Pipeline{}, Pipeline{}, pairs, LearnOptions{Merges: 10_000, Threshold: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, want string
		p          Pipeline
	}{
		{"val.en", "febece4ea054a8171190714253e6e36a4a578b238193f7e80ca45a015a586e0f", source},
		{"val.fr", "b353bb35170a0f17a2721c08e7dae3e90f541c3dd1693f33429b309f98cf1e35", target},
	} {
		digest := sha256.New()
		for _, line := range lines(t, folder, test.name) {
			words := test.p.Words(line)
			fmt.Fprintln(digest, strings.Join(words, " "))
			if got := test.p.Line(words); got != line {
				t.Errorf("%s: %q came back as %q", test.name, line, got)
			}
		}
		if got := fmt.Sprintf("%x", digest.Sum(nil)); got != test.want {
			t.Errorf("%s: SHA-256 %s, want %s", test.name, got, test.want)
		}
	}
}
