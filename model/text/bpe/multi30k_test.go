package bpe

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// multi30k returns a file of Multi30k, tokenised. It skips the test if there is none.
func multi30k(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "data", "multi30k", "tok", name))
	if err != nil {
		t.Skipf("no Multi30k: %v", err)
	}
	return string(content)
}

// The digests are of files that were made in Python, by the steps of subword-nmt's
// learn_bpe.py and apply_bpe.py as they are published: 10,000 merges learned from both
// languages, and the validation text in the segments that occur at least 50 times in the
// training text of its language.
func TestMulti30k(t *testing.T) {
	if testing.Short() {
		t.Skip("800,000 words")
	}
	languages := []string{"en", "fr"}
	f := make(Frequencies)
	for _, language := range languages {
		f.Add(text.Tokens(multi30k(t, "train."+language)))
	}
	codes := learned(t, f, 10_000, 2)
	compareDigest(t, "codes", written(t, codes), "10d33e184381e776cf1bfe863734673de7539164041dafd915363697d49f00e6")
	validation := map[string]string{
		"en": "febece4ea054a8171190714253e6e36a4a578b238193f7e80ca45a015a586e0f",
		"fr": "b353bb35170a0f17a2721c08e7dae3e90f541c3dd1693f33429b309f98cf1e35",
	}
	for _, language := range languages {
		vocabulary := counted(segmented(NewSegmenter(codes, nil, 0), multi30k(t, "train."+language)))
		restricted := segmented(NewSegmenter(codes, vocabulary, 50), multi30k(t, "val."+language))
		compareDigest(t, language, restricted, validation[language])
	}
}

func compareDigest(t *testing.T, what, content, want string) {
	t.Helper()
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(content))); got != want {
		t.Errorf("%s: SHA-256 %s of %d bytes, want %s", what, got, len(content), want)
	}
}
