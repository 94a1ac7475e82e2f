package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

func TestNewErrors(t *testing.T) {
	for _, test := range []struct {
		name     string
		settings Settings
		want     string
	}{
		{"unknown language", Settings{Language: "xx"}, `language "xx", expected one of ["en" "fr" "de" "other"]`},
		{"language in upper case", Settings{Language: "EN"}, `language "EN"`},
		{"lowercase of tokens", Settings{Lowercase: true}, "lower case without a language"},
		{"unknown rules", Settings{Language: "en", Rules: "xx"}, `rules "xx", expected "" or "reversible"`},
		{"rules of tokens", Settings{Rules: Reversible}, `rules "reversible" without a language`},
		{"lowercase with reversible rules", Settings{Language: "en", Rules: Reversible, Lowercase: true}, "lower case with reversible rules"},
		{"known words of Moses rules", Settings{Language: "en", Known: []string{}}, "known words without reversible rules"},
		{"segments alone", Settings{Segments: []string{"a"}}, "segments without codes"},
		{"empty list of segments alone", Settings{Segments: []string{}}, "segments without codes"},
		{"empty symbol", Settings{Codes: bpe.Codes{{Left: "a", Right: ""}}}, `merge 0: symbol "": expected characters`},
		{"symbol with a space", Settings{Codes: bpe.Codes{abc[0], {Left: "a b", Right: "c"}}}, `merge 1: symbol "a b": expected no white space`},
		{"symbol with a tab", Settings{Codes: bpe.Codes{{Left: "a", Right: "\t"}}}, "expected no white space"},
		{"symbol not UTF-8", Settings{Codes: bpe.Codes{{Left: "\xff", Right: "c"}}}, `merge 0: symbol "\xff": expected UTF-8`},
		{"merge missing", Settings{Codes: abc[1:]}, `merge 1: symbol "ab", expected a character or the result of an earlier merge`},
		{"merges in another order", Settings{Codes: bpe.Codes{abc[2], abc[1], abc[0]}}, `merge 0: symbol "ab"`},
		{"segment of other codes", Settings{Codes: abc, Segments: []string{"ab", "bc"}}, `segment 1: "bc", expected one that the codes produce`},
		{"segment at the end only", Settings{Codes: abc, Segments: []string{"abc@@"}}, `segment 0: "abc@@"`},
		{"segment inside only", Settings{Codes: abc[:1], Segments: []string{"ab"}}, `segment 0: "ab"`},
		{"segment twice", Settings{Codes: abc, Segments: []string{"ab", "x", "ab"}}, `segment 2: "ab" occurs twice`},
		{"empty segment", Settings{Codes: abc, Segments: []string{""}}, `segment 0: "": expected characters`},
		{"separator alone", Settings{Codes: abc, Segments: []string{"@@"}}, `segment 0: "@@"`},
		{"segment with a space", Settings{Codes: abc, Segments: []string{"a b"}}, `segment 0: "a b": expected no white space`},
		{"segment not UTF-8", Settings{Codes: abc, Segments: []string{"\xc3@@"}}, "expected UTF-8"},
	} {
		p, err := New(test.settings)
		checkError(t, test.name, err, test.want)
		if !p.IsZero() {
			t.Errorf("%s: got a pipeline with the error", test.name)
		}
	}
}

// checkError fails unless err wraps ErrSettings and contains want.
func checkError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got error %v, want one that wraps %q and contains %q", what, err, ErrSettings, want)
	}
}

// TestNewOddSegments has segments that look like the suffixes of package bpe.
func TestNewOddSegments(t *testing.T) {
	codes := bpe.Codes{{Left: "@", Right: "@</w>"}, {Left: "@", Right: "@"}, {Left: "<", Right: "/"}, {Left: "</", Right: "w"}, {Left: "</w", Right: ">"}}
	p := newPipeline(t, Settings{Codes: codes, Segments: []string{"@@", "@@@@", "</w>@@", "é", "é@@", "@", "@@@"}})
	for token, want := range map[string]string{"@@": "@@", "@@a": "@@@@ a", "</w>": "<@@ /@@ w@@ >", "</w>a": "</w>@@ a"} {
		if got := strings.Join(p.Read(token, nil).Words, " "); got != want {
			t.Errorf("%q: got %q, want %q", token, got, want)
		}
	}
}

// TestEqual compares pipelines whose settings all differ.
func TestEqual(t *testing.T) {
	codes := bpe.Codes{{Left: "a", Right: "b"}}
	settings := []Settings{
		{}, {Language: "en"}, {Language: "fr"}, {Language: "en", Lowercase: true},
		{Language: "en", Rules: Reversible}, {Language: "fr", Rules: Reversible},
		{Language: "en", Rules: Reversible, Known: []string{}}, {Language: "en", Rules: Reversible, Known: []string{"a"}},
		{Codes: bpe.Codes{}}, {Codes: codes}, {Codes: codes, Segments: []string{}}, {Codes: codes, Segments: []string{"ab@@"}},
	}
	for i, a := range settings {
		for j, b := range settings {
			p, err := New(a)
			if err != nil {
				t.Fatal(err)
			}
			q, err := New(b)
			if err != nil {
				t.Fatal(err)
			}
			if p.Equal(q) != (i == j) {
				t.Errorf("%+v and %+v: equal is %v", a, b, p.Equal(q))
			}
		}
	}
}

// TestDefaults: every language and none can have a new model, and an unknown one cannot.
func TestDefaults(t *testing.T) {
	for _, language := range append(languages, "") {
		p := newPipeline(t, Defaults(language))
		if p.Language() != language || p.IsZero() != (language == "") || (len(p.Reserved()) > 0) != (language != "") {
			t.Errorf("%q: got %s", language, marshal(t, p))
		}
	}
	if newPipeline(t, Settings{Codes: bpe.Codes{}}).IsZero() {
		t.Error("one of characters is zero")
	}
	_, err := New(Defaults("xx"))
	checkError(t, "unknown language", err, `language "xx"`)
}
