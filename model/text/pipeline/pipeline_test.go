package pipeline

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
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

// TestWordsAndLine has results that follow from the documentation of packages moses and bpe.
func TestWordsAndLine(t *testing.T) {
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
		{"new English", Defaults("en"), "Visit http://A.com, please (see a@b.org) – “C++” &amp;.",
			"Visit http://A.com , please ( see a@b.org ) – “ C++ ” &amp; .", "Visit http://A.com, please (see a@b.org) – “C++” &amp;."},
		{"new English, lowercased", Settings{Language: "en", Lowercase: true, Rules: Reversible, Protected: []string{`C\+\+`}},
			"The C++ of McDonald’s.", "the C++ of mcdonald 's .", "the C++ of mcdonald's."},
		{"new German", Defaults("de"), "„So geht's“, sagte er.", "„ So geht's “ , sagte er .", "„So geht's“, sagte er."},
		{"Moses and protected words", Settings{Language: "en", Protected: []string{`C\+\+`}}, "“C++”.", `" C++ . "`, `"C++."`},
	} {
		p := newPipeline(t, test.settings)
		words := p.Words(test.line)
		if got := strings.Join(words, " "); got != test.words {
			t.Errorf("%s: words of %q: got %q, want %q", test.name, test.line, got, test.words)
		}
		if got := p.Line(words); got != test.want {
			t.Errorf("%s: line of %q: got %q, want %q", test.name, words, got, test.want)
		}
		if got, want := p.Join(words), p.Tokenize(test.line); !slices.Equal(got, want) {
			t.Errorf("%s: tokens: got %q, want %q", test.name, got, want)
		}
	}
}

// TestGermanLines: typographic quotation marks, dashes, apostrophes, times and units come back.
func TestGermanLines(t *testing.T) {
	p := newPipeline(t, Defaults("de"))
	for _, line := range []string{
		"Auf dem Schild steht: „Bitte nicht stören, danke“.",
		"„Komm her!“, ruft sie. „Was gibt’s?“",
		"Ein Mann liest ein Plakat, auf dem „Nur für Gäste“ steht.",
		"Zwei Leute – einer in Rot, der andere in Grün – tanzen.",
		"Sie essen bei Wendy's, dann geht's um 11:27 Uhr nach Hause.",
		"Lars' Hund läuft 3,5 km/h; das kostet 5 € oder 95.000 im Jahr.",
		"Am 3. Mai kamen ca. 20 Leute usw. mit orange-, weiß- und rotfarbenen Hüten, z.B. aus Köln?",
		`Ein Hemd mit der Aufschrift "Hallo".`,
		"Der Titel lautet „Das ‚letzte‘ Wort“ (1998–2005) …",
		"Ein Mann im T-Shirt und eine Frau",
	} {
		want := strings.ReplaceAll(strings.ReplaceAll(line, "’s", "'s"), " …", "…")
		if got := p.Line(p.Words(line)); got != want {
			t.Errorf("%q came back as %q", line, got)
		}
	}
}

// TestLineTruncated has words that end inside a token, like a translation of maximum length.
func TestLineTruncated(t *testing.T) {
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
		if got := p.Line(words); got != test.want {
			t.Errorf("%q: got %q, want %q", test.words, got, test.want)
		}
		if !slices.Equal(words, before) {
			t.Errorf("%q became %q", before, words)
		}
	}
}

// TestImmutable changes the settings after New, which must not change the pipeline.
func TestImmutable(t *testing.T) {
	s := Settings{Language: "en", Protected: []string{"a"}, Codes: slices.Clone(abc), Segments: []string{"ab", "ab@@"}}
	p := newPipeline(t, s)
	before := marshal(t, p)
	s.Protected[0], s.Codes[0], s.Segments[0] = "b", bpe.Merge{Left: "x", Right: "y"}, "x"
	if got, want := marshal(t, p), before; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestConcurrent uses one pipeline from several goroutines.
func TestConcurrent(t *testing.T) {
	p := newPipeline(t, Settings{Language: "en", Lowercase: true, Codes: abc})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				if got := p.Line(p.Words("Abc isn't (abab).")); got != "abc isn't (abab)." {
					t.Errorf("got %q", got)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestIsZero(t *testing.T) {
	for _, test := range []struct {
		settings Settings
		want     bool
	}{
		{Settings{}, true},
		{Settings{Language: "other"}, false},
		{Settings{Codes: bpe.Codes{}}, false},
	} {
		p := newPipeline(t, test.settings)
		if p.IsZero() != test.want || p.Language() != test.settings.Language {
			t.Errorf("%+v: got %v and language %q, want %v", test.settings, p.IsZero(), p.Language(), test.want)
		}
	}
}

// TestPlain: the reversible rules keep a mark, of which Plain has the form that Moses makes of it.
func TestDivide(t *testing.T) {
	p := newPipeline(t, Settings{Language: "fr", Codes: abc})
	vocabulary := []string{"peo@@", "p@@", "ple", "ple@@", "é@@", "é", "people@@"}
	for segment, want := range map[string]string{
		"people": "peo@@ ple", "people@@": "people@@", "pé": "p@@ é", "éé@@": "é@@ é@@", "péople": "", "peop": "", "@@": "", "": "",
	} {
		got := p.Divide(segment, func(s string) bool { return slices.Contains(vocabulary, s) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", segment, got, want)
		}
	}
	if got := newPipeline(t, Settings{Language: "fr"}).Divide("ple", func(string) bool { return true }); got != nil {
		t.Errorf("without segments: got %q", got)
	}
}

func TestPlain(t *testing.T) {
	for _, language := range []string{"en", "fr", "de", "other"} {
		p, moses := newPipeline(t, Defaults(language)), newPipeline(t, Settings{Language: language})
		for word, want := range map[string]string{"“": `"`, "”": `"`, "„": `"`, "«": `"`, "…": "...", "–": "-", "‚": "'", "¿": "¿", "œuf": "œuf", "a": "a", ".": "."} {
			if got := p.Tokenize(word); !slices.Equal(got, []string{word}) {
				t.Errorf("%s: tokens of %s are %q", language, word, got)
			}
			if got := p.Plain(word); got != want {
				t.Errorf("%s: plain form of %s is %q, want %q", language, word, got, want)
			}
			if got := moses.Plain(word); got != word {
				t.Errorf("%s: plain form of %s by the rules of Moses is %q", language, word, got)
			}
		}
	}
}

// TestPipelineSettings makes an equal pipeline of the settings of another, which are a copy.
func TestPipelineSettings(t *testing.T) {
	learned, _, err := learned(newPipeline(t, Defaults("en")), Pipeline{}, []text.Pair{
		{Source: []string{"the", "the"}, Target: []string{"le", "le"}},
	}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Pipeline{{}, newPipeline(t, Defaults("fr")), learned} {
		s := p.Settings()
		if again := newPipeline(t, s); !again.Equal(p) {
			t.Errorf("settings %+v make another pipeline", s)
		}
		for _, list := range [][]string{s.Protected, s.Segments} {
			for i := range list {
				list[i] = ""
			}
		}
		for i := range s.Codes {
			s.Codes[i].Left = ""
		}
		if again := newPipeline(t, p.Settings()); !again.Equal(p) {
			t.Error("the settings share memory with the pipeline")
		}
	}
}
