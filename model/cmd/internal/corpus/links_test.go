package corpus

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/links"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestGuidedAlignment has links to tokens of several segments and to placeholders, beside pairs that are dropped,
// through memory and through the cache.
func TestGuidedAlignment(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, lines ...string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	english := []string{"the ``a b`` sleeps", "", "the ``x y`` cat", "the cat", "the cat", ""}
	french := []string{"le ``a b`` dort", "rien", "un chat", "le chat", "le chat", "rien"}
	s := Settings{
		Source: []string{file("en", english...)}, Target: []string{file("fr", french...)},
		ValidSource: file("valid.en", "the cat"), ValidTarget: file("valid.fr", "le chat"),
		GuidedAlignment: []string{file("align", "0-0 1-1 2-2", "5-5", "7-7", "1-1 1p0", "0-0", "5-5")},
		VocabularySize:  1000, MaxLength: 50, SourceLanguage: "en", TargetLanguage: "fr", Tokenizer: "reversible", DropDuplicates: true,
		Codes: file("codes", "#version: 0.2", "l e</w>"),
	}
	check := func(c *Corpus) {
		t.Helper()
		var got [][]string
		for i := range c.Train.Len() {
			e, _, err := c.Train.Example(i, []int32{7, 8})
			if err != nil {
				t.Fatal(err)
			}
			source, target := c.Source.Decode(e.Source), c.Target.Decode(e.Target)
			var list []string
			for k := 0; k < len(e.Links); k += 2 {
				list = append(list, target[e.Links[k]]+"="+source[e.Links[k+1]])
			}
			got = append(got, list)
		}
		cross := func(targets, sources string) (list []string) {
			for _, word := range strings.Fields(targets) {
				for _, linked := range strings.Fields(sources) {
					list = append(list, word+"="+linked)
				}
			}
			return list
		}
		want := [][]string{
			slices.Concat(cross("le", "t@@ h@@ e"), cross("⟦1⟧", "⟦1⟧"), cross("d@@ o@@ r@@ t", "s@@ l@@ e@@ e@@ p@@ s")),
			cross("c@@ h@@ a@@ t", "c@@ a@@ t"),
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got links\n%q, want\n%q", got, want)
		}
	}
	check(prepare(t, s))
	s.Cache, s.KeepCache = filepath.Join(folder, "cache"), true
	for range 2 {
		c := prepare(t, s)
		if !c.Cached {
			t.Error("not cached")
		}
		check(c)
	}
	before := s.GuidedAlignment
	s.GuidedAlignment = nil
	if c := prepare(t, s); c.Train.footer.Linked != 0 {
		t.Error("links of a cache that is of other settings")
	}
	for name, test := range map[string]struct {
		lines []string
		want  error
	}{
		"short":  {[]string{"0-0", "", "0-0"}, text.ErrLineCount},
		"ends":   {[]string{"0-0", "", "0-0", "", ""}, text.ErrLineCount}, // before the line of the last pair, which is dropped
		"long":   {[]string{"0-0", "", "0-0", "", "", "", "0-0"}, text.ErrLineCount},
		"beyond": {[]string{"0-3"}, links.ErrSyntax},
		"bad":    {[]string{"0-0", "0=0", "", "", ""}, links.ErrSyntax},
	} {
		s.GuidedAlignment = []string{file(name, test.lines...)}
		if _, err := Prepare(t.Context(), s, 2, silent); !errors.Is(err, test.want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	s.GuidedAlignment = before
	check(prepare(t, s))
}
