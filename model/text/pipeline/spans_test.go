package pipeline_test

import (
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// pipelines are of every kind.
func pipelines(t testing.TB) map[string]pipeline.Pipeline {
	t.Helper()
	reversible := pipeline.Defaults("en")
	segmented, copying := reversible, reversible
	segmented.Codes = bpe.Codes{}
	copying.Copied = pipeline.Copied()
	list := map[string]pipeline.Pipeline{}
	for name, s := range map[string]pipeline.Settings{
		"zero": {}, "reversible": reversible, "characters": segmented, "copies": copying, "moses": {Language: "fr", Lowercase: true},
	} {
		p, err := pipeline.New(s)
		if err != nil {
			t.Fatal(err)
		}
		list[name] = p
	}
	return list
}

// TestSpans has lines and their tokens, each as it stands there.
func TestSpans(t *testing.T) {
	for _, test := range []struct{ pipeline, line, want string }{
		{"zero", " a  b. c", "a|b.|c"},
		{"reversible", "Don’t  look (at\u00a0it)!", "Don|’t|look|(|at|it|)|!"},
		{"characters", "The dog, a dog.", "The|dog|,|a|dog|."},
		{"copies", "Call :func:`a b` and ``c  d``.", "Call|:func:`a b`|and|``c  d``|."},
		{"copies", "⟦7⟧ is ``x``, ⟦7⟧", "⟦7⟧|is|``x``|,|⟦7⟧"},
		{"moses", "L’Homme dit «oui» … à 3h", "L’|Homme|dit||oui|||à|3h"},
		{"reversible", "a\x01b c", "a\x01b|c"},
	} {
		p := pipelines(t)[test.pipeline]
		kept := p.Kept(test.line)
		words := p.WordsOf(test.line, kept)
		var got []string
		next := 0
		for _, s := range p.Spans(test.line, words, kept) {
			got = append(got, test.line[s.Bytes[0]:s.Bytes[1]])
			if s.Words[0] != next {
				t.Errorf("%q: token %q begins at word %d, want %d", test.line, s.Text, s.Words[0], next)
			}
			next = s.Words[1]
		}
		if strings.Join(got, "|") != test.want || next != len(words) {
			t.Errorf("%s, %q: %q up to word %d of %d, want %q", test.pipeline, test.line, got, next, len(words), test.want)
		}
	}
}

// FuzzSpans finds tokens of source lines, and of the lines that the words make.
func FuzzSpans(f *testing.F) {
	for _, line := range []string{"a b", "l' ``x`` (\"b\")", "“a” … ⟦1⟧\xff", "don't\u0085", "Ab", "- Abc 👍", "@@ @@ a@@ @@"} {
		f.Add(line)
	}
	list := pipelines(f)
	f.Fuzz(func(t *testing.T, line string) {
		for name, p := range list {
			kept := p.Kept(line)
			words := p.WordsOf(line, kept)
			for _, whole := range []string{line, p.LineOf(words, kept), "another"} {
				end, next := 0, 0
				spans := p.Spans(whole, words, kept)
				if n := len(p.Join(words)); len(spans) != n {
					t.Fatalf("%s: %q has %d spans for %d tokens", name, whole, len(spans), n)
				}
				for _, s := range spans {
					if s.Words[0] < next || s.Words[1] <= s.Words[0] || s.Bytes[0] < end || s.Bytes[1] < s.Bytes[0] || s.Bytes[1] > len(whole) {
						t.Fatalf("%s: %q has %+v after word %d and byte %d", name, whole, s, next, end)
					}
					next, end = s.Words[1], s.Bytes[1]
				}
			}
		}
	})
}
