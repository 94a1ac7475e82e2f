package pipeline

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// newPipeline returns the pipeline with the given settings.
func newPipeline(t testing.TB, s Settings) Pipeline {
	t.Helper()
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// abc has merges for ab inside a word, and for ab and abc at its end.
var abc = bpe.Codes{{Left: "a", Right: "b"}, {Left: "a", Right: "b</w>"}, {Left: "ab", Right: "c</w>"}}

// TestPlain has results that follow from the documentation of packages moses and bpe.
func TestPlain(t *testing.T) {
	for _, test := range []struct {
		name        string
		settings    Settings
		line, words string
		want        string
	}{
		{"tokenized", Settings{}, " l' homme\tn'  est . \r\n", "l' homme n' est .", "l' homme n' est ."},
		{"tokenized, not UTF-8", Settings{}, "a\xff \xc3", "a\xff \xc3", "a\xff \xc3"},
		{"tokenized, escaped", Settings{}, "&amp; don &apos;t", "&amp; don &apos;t", "&amp; don &apos;t"},
		{"empty", Settings{}, " \t\n", "", ""},
		{"empty, with a language", Settings{Language: "en"}, "\x00 \u2003\n", "", ""},
		{"English", Settings{Language: "en"}, "He doesn’t know “Dr. Hill” & co.", `He doesn 't know " Dr. Hill " & co .`, `He doesn't know "Dr. Hill" & co.`},
		{"French", Settings{Language: "fr", Lowercase: true}, "L'Été n'est-il pas là\u00a0?", "l' été n' est-il pas là ?", "l'été n'est-il pas là ?"},
		{"German", Settings{Language: "de"}, "Am 3. Mai z.B.?", "Am 3. Mai z.B. ?", "Am 3. Mai z.B.?"},
		{"other", Settings{Language: "other"}, "L'uomo, no!", "L ' uomo , no !", "L 'uomo, no!"},
		{"not UTF-8", Settings{Language: "en"}, "caf\xe9 \xff\xfe", "caf \ufffd \ufffd", "caf \ufffd \ufffd"},
		{"segments", Settings{Codes: abc}, "abc ab  ab-abc", "abc ab ab@@ -@@ abc", "abc ab ab-abc"},
		{"characters", Settings{Codes: bpe.Codes{}}, "ab é", "a@@ b é", "ab é"},
		{"some segments allowed", Settings{Codes: abc, Segments: []string{"ab", "ab@@"}}, "abc ab", "ab@@ c ab", "abc ab"},
		{"no segment allowed", Settings{Codes: abc, Segments: []string{}}, "abc ab", "a@@ b@@ c a@@ b", "abc ab"},
		{"language and segments", Settings{Language: "en", Lowercase: true, Codes: abc}, "(ABC, Ab!)", "( abc , ab ! )", "(abc, ab!)"},
	} {
		p := newPipeline(t, test.settings)
		words := p.Read(test.line, nil).Words
		if got := strings.Join(words, " "); got != test.words {
			t.Errorf("%s: words of %q: got %q, want %q", test.name, test.line, got, test.words)
		}
		if got := p.Write(words, Reading{}).Line; got != test.want {
			t.Errorf("%s: line of %q: got %q, want %q", test.name, words, got, test.want)
		}
		if got, want := p.Join(words), p.Tokenize(test.line); !slices.Equal(got, want) {
			t.Errorf("%s: tokens: got %q, want %q", test.name, got, want)
		}
	}
}

// TestWriteTruncated has words that end inside a token, like a translation of maximum length.
func TestWriteTruncated(t *testing.T) {
	for _, test := range []struct {
		settings    Settings
		words, want string
	}{
		{Settings{Codes: abc}, "ab ab@@", "ab ab"},
		{Settings{Codes: abc}, "ab@@ ab@@ a@@", "ababa"},
		{Settings{Codes: abc}, "ab @@", "ab"},
		{Settings{Codes: abc}, "@@", ""},
		{Settings{Codes: abc}, "ab@@ @@", "ab"},
		{Settings{Codes: abc}, "", ""},
		{Settings{Codes: abc}, "ab@@ <unk> c", "ab<unk> c"},
		{Settings{Language: "en", Codes: abc}, "( ab ) , ab@@", "(ab), ab"},
		{Settings{}, "ab ab@@", "ab ab@@"},
		{Settings{Language: "en"}, "ab @@", "ab @@"},
	} {
		p := newPipeline(t, test.settings)
		words := strings.Fields(test.words)
		before := slices.Clone(words)
		if got := p.Write(words, Reading{}).Line; got != test.want {
			t.Errorf("%q: got %q, want %q", test.words, got, test.want)
		}
		if !slices.Equal(words, before) {
			t.Errorf("%q became %q", before, words)
		}
	}
}

// TestConcurrent uses one pipeline from several goroutines.
func TestConcurrent(t *testing.T) {
	p := newPipeline(t, Settings{Language: "en", Rules: Reversible, Codes: abc})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				const line = "Abc isn't (abab) 12 {x}."
				r := p.Read(line, nil)
				if got := p.Write(r.Words, r).Line; got != line {
					t.Errorf("got %q", got)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestPipelineSettings makes an equal pipeline of settings, with which it shares no memory.
func TestPipelineSettings(t *testing.T) {
	s := Settings{Language: "en", Rules: Reversible, Known: []string{"a"}, Codes: slices.Clone(abc), Segments: []string{"ab", "ab@@"}}
	p := newPipeline(t, s)
	before := marshal(t, p)
	for _, s := range []Settings{s, p.Settings()} {
		if !newPipeline(t, s).Equal(p) {
			t.Errorf("settings %+v make another pipeline", s)
		}
		s.Known[0], s.Codes[0], s.Segments[0] = "b", bpe.Merge{Left: "x", Right: "y"}, "x"
		if got := marshal(t, p); got != before {
			t.Errorf("got %s, want %s", got, before)
		}
	}
}
