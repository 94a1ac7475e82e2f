package pipeline

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// marshal returns the JSON of p.
func marshal(t testing.TB, p Pipeline) string {
	t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestJSON(t *testing.T) {
	for _, test := range []struct {
		settings Settings
		want     string
	}{
		{Settings{}, `{}`},
		{Settings{Language: "fr", Lowercase: true}, `{"language":"fr","lowercase":true}`},
		{Settings{Language: "other"}, `{"language":"other"}`},
		{Settings{Language: "en", Rules: Reversible}, `{"language":"en","rules":"reversible"}`},
		{Settings{Language: "en", Rules: Reversible, Known: []string{}}, `{"language":"en","rules":"reversible","known":[]}`},
		{Settings{Language: "en", Rules: Reversible, Known: []string{"é", "ab"}, Codes: bpe.Codes{}},
			`{"language":"en","rules":"reversible","known":["é","ab"],"codes":"#version: 0.2\n"}`},
		{Settings{Codes: bpe.Codes{}}, `{"codes":"#version: 0.2\n"}`},
		{Settings{Codes: abc[:2]}, `{"codes":"#version: 0.2\na b\na b\u003c/w\u003e\n"}`},
		{Settings{Codes: abc[:1], Segments: []string{}}, `{"codes":"#version: 0.2\na b\n","segments":[]}`},
		{Settings{Language: "de", Codes: abc[:1], Segments: []string{"é", "ab@@"}},
			`{"language":"de","codes":"#version: 0.2\na b\n","segments":["é","ab@@"]}`},
	} {
		p := newPipeline(t, test.settings)
		if got := marshal(t, p); got != test.want {
			t.Errorf("%+v: got %s, want %s", test.settings, got, test.want)
		}
		var read Pipeline
		if err := json.Unmarshal([]byte(test.want), &read); err != nil {
			t.Errorf("%s: %v", test.want, err)
		}
		if got := marshal(t, read); got != test.want || read.IsZero() != p.IsZero() {
			t.Errorf("%s: became %s after reading and writing", test.want, got)
		}
		for _, line := range []string{"ab abé ÉAB.", "l'abc, ab", "A.B “a.b”"} {
			if got, want := read.Read(line, nil).Words, p.Read(line, nil).Words; !slices.Equal(got, want) {
				t.Errorf("%s: words of %q: got %q, want %q", test.want, line, got, want)
			}
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for _, test := range []struct{ data, want string }{
		{`null`, "null, expected an object"},
		{`[]`, "array"},
		{`"en"`, "string"},
		{`{"language":3}`, "number"},
		{`{"language":"en","lowercase":"yes"}`, "lowercase"},
		{`{"language":"en","truecase":true}`, `unknown field "truecase"`},
		{`{"language":"xx"}`, `language "xx"`},
		{`{"lowercase":true}`, "lower case without a language"},
		{`{"rules":"moses","language":"en"}`, `rules "moses"`},
		{`{"rules":1,"language":"en"}`, "number"},
		{`{"rules":"reversible"}`, "without a language"},
		{`{"known":"a","language":"en","rules":"reversible"}`, "string"},
		{`{"known":["a"],"language":"en"}`, "without reversible rules"},
		{`{"protected":["a"],"language":"en"}`, "protected"},
		{`{"codes":""}`, `line 1: expected "#version: 0.2"`},
		{`{"codes":"#version: 0.1\na b\n"}`, "#version: 0.1"},
		{`{"codes":"#version: 0.2\na\n"}`, `line 2: "a"`},
		{`{"codes":["a b"]}`, "array"},
		{`{"codes":"#version: 0.2\nab c\n"}`, `merge 0: symbol "ab"`},
		{`{"segments":["a"]}`, "segments without codes"},
		{`{"codes":"#version: 0.2\na b\n","segments":["ab@@","ab@@"]}`, "segment 1"},
		{`{"codes":"#version: 0.2\na b\n","segments":["abc"]}`, "segment 0"},
		{`{"codes":"#version: 0.2\na b\n","segments":[1]}`, "number"},
		{`{"codes":"#version: 0.2\na b\n","segments":"ab"}`, "string"},
	} {
		p := newPipeline(t, Settings{Language: "fr"})
		checkError(t, test.data, json.Unmarshal([]byte(test.data), &p), test.want)
		if p.Language() != "fr" {
			t.Errorf("%s: the pipeline changed despite the error", test.data)
		}
	}
}

// FuzzJSON: a pipeline that can be read can be written, read again and used.
func FuzzJSON(f *testing.F) {
	for _, s := range []Settings{{}, {Language: "en", Lowercase: true}, Defaults("fr"), {Codes: abc, Segments: []string{"ab", "é@@"}}} {
		f.Add([]byte(marshal(f, newPipeline(f, s))), "abc ab")
	}
	f.Add([]byte(`{"codes":"#version: 0.2\r\na b\na b</w>\n\n","segments":null,"Language":"fr"}`), "\xff l'ab")
	f.Add([]byte(`{"codes":null}{}`), "")
	f.Fuzz(func(t *testing.T, data []byte, line string) {
		var p, again Pipeline
		if err := json.Unmarshal(data, &p); err != nil {
			if json.Valid(data) && !errors.Is(err, ErrSettings) {
				t.Errorf("%s: error %v does not wrap ErrSettings", data, err)
			}
			return
		}
		first := marshal(t, p)
		if err := json.Unmarshal([]byte(first), &again); err != nil {
			t.Fatal(err)
		}
		if got := marshal(t, again); got != first {
			t.Errorf("%s became %s", first, got)
		}
		if got, want := again.Read(line, nil).Words, p.Read(line, nil).Words; !slices.Equal(got, want) {
			t.Errorf("%s: words of %q: got %q, want %q", first, line, got, want)
		}
	})
}
