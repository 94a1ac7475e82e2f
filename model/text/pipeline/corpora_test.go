package pipeline

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

var multi30k = filepath.Join("..", "..", "..", "..", "shared", "data", "multi30k")

// TestCorpora: a translation that is read and written again is the line that it was, but for white space, in nearly all
// pairs: no model can score higher than these lines.
func TestCorpora(t *testing.T) {
	spaced := func(line string) string { return strings.Join(strings.Fields(line), " ") }
	for file, want := range map[string]float64{"multi30k/raw/val": 99, "tatoeba/val": 99, "pydocs/val": 93, "laws/val": 96, "europarl/val": 98, "open/ui-val": 97,
		"open/docs-val": 97, "open/prose-val": 95, "flores/dev": 97, "newstest/2012": 95} {
		for _, languages := range [][2]string{{"en", "fr"}, {"fr", "en"}} {
			source, target := newPipeline(t, Defaults(languages[0])), newPipeline(t, Defaults(languages[1]))
			path := filepath.Join(filepath.Dir(multi30k), file)
			if _, err := os.Stat(path + "." + languages[1]); err != nil {
				t.Skipf("a text is missing: %v", err)
			}
			sources, all, same := lines(t, path+"."+languages[0]), lines(t, path+"."+languages[1]), 0
			if os.Getenv("SOFTSEARCH_TEST") != "full" {
				sources, all = sources[:200], all[:200]
			}
			for i, line := range all {
				r := source.Read(sources[i], nil)
				if spaced(target.Write(target.ReadTranslation(line, r).Words, r).Line) == spaced(line) {
					same++
				}
			}
			if percent := 100 * float64(same) / float64(len(all)); percent < want-4 || percent < want && len(all) > 200 {
				t.Errorf("%s.%s: %.1f %% of the lines come back, want %.1f %%", file, languages[1], percent, want)
			}
		}
	}
}

// TestMulti30kSegments learns 10,000 merges and the segments that occur at least 50 times. The
// digests of the validation text are those of package bpe, made in Python by the published steps of
// subword-nmt.
func TestMulti30kSegments(t *testing.T) {
	if os.Getenv("SOFTSEARCH_TEST") != "full" {
		t.Skip("800,000 words")
	}
	folder := filepath.Join(multi30k, "tok")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("Multi30k is missing: %v", err)
	}
	var pairs []text.Pair
	french := lines(t, folder, "train.fr")
	for i, line := range lines(t, folder, "train.en") {
		pairs = append(pairs, text.Pair{Source: text.Tokens(line), Target: text.Tokens(french[i])})
	}
	source, target, err := learned(Pipeline{}, Pipeline{}, pairs, 10_000, 50)
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
			words := test.p.Read(line, nil).Words
			fmt.Fprintln(digest, strings.Join(words, " "))
			if got := test.p.Write(words, Reading{}).Line; got != line {
				t.Errorf("%s: %q came back as %q", test.name, line, got)
			}
		}
		if got := fmt.Sprintf("%x", digest.Sum(nil)); got != test.want {
			t.Errorf("%s: SHA-256 %s, want %s", test.name, got, test.want)
		}
	}
}
