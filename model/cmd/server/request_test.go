package server

import (
	"reflect"
	"strings"
	"testing"
)

// TestUnmarshal has bodies with the request that they are, or the error that says why they are none.
func TestUnmarshal(t *testing.T) {
	one := func(text string) query { return query{Text: texts{list: list{text}}} }
	const fields = "expected one of model, text, prefix, append, copy_unknown, beam, nbest, alignments, tree, terms, split, join_lines"
	for _, test := range []struct {
		body string
		want translateRequest
		err  string
	}{
		{`{"text": "a", "beam": 1}`, translateRequest{query: one("a"), Beam: 1}, ""},
		{`{"text": "a", "beam": 1.0, "nbest": 1e0}`, translateRequest{query: one("a"), Beam: 1, NBest: 1}, ""},
		{` {"text": "a", "beam": 10E-1, "tree": true} ` + "\n", translateRequest{query: one("a"), Beam: 1, Tree: true}, ""},
		{`{"text": null, "beam": null, "prefix": null, "model": null, "tree": null}`, translateRequest{}, ""},
		{`{"text": ["a"], "prefix": ["b", "c"], "append": "d", "model": "m"}`, translateRequest{query: query{"m", texts{list{"a"}, true}, list{"b", "c"}, "d", false}}, ""},
		{`{"text": "\\\ud83d\uDE00\\ud83d\ufffd"}`, translateRequest{query: one(`\😀\ud83d` + "\ufffd")}, ""},
		{`{}`, translateRequest{}, ""},

		{``, translateRequest{}, "invalid JSON at byte 0: unexpected EOF"},
		{`{"text": "a"`, translateRequest{}, "invalid JSON at byte 12: unexpected EOF"},
		{`{"text": "a", beam}`, translateRequest{}, "invalid JSON at byte 14: invalid character 'b' at start of value"},
		{`{"text": "a"} {}`, translateRequest{}, "invalid JSON at byte 14: invalid character '{' after top-level value"},
		{strings.Repeat(`[`, 1<<20), translateRequest{}, "request: found " + strings.Repeat("[", 40) + ", expected an object"},
		{`{"text": "` + `\ud83d"}`, translateRequest{}, `invalid JSON at byte 10: invalid surrogate pair ` + "`" + `\ud83d"}` + "`" + ` in string`},
		{`{"text": "\ud83d\ud83d\ude00"}`, translateRequest{}, `invalid JSON at byte 10: invalid surrogate pair ` + "`" + `\ud83d\ud83d` + "`" + ` in string`},
		{`{"text": "\\\uDE00\ud83d"}`, translateRequest{}, `invalid JSON at byte 12: invalid surrogate pair ` + "`" + `\uDE00\ud83d` + "`" + ` in string`},
		{`["a"]`, translateRequest{}, `request: found ["a"], expected an object`},
		{`null`, translateRequest{}, `request: found null, expected an object`},

		{`{"text": "a", "beem": 2}`, translateRequest{}, `unknown field "beem", ` + fields},
		{`{"text": "a", "BEAM": 2}`, translateRequest{}, `unknown field "BEAM", ` + fields},
		{`{"text": "a", "": 2}`, translateRequest{}, `unknown field "", ` + fields},
		{`{"text": "a", "text": "b"}`, translateRequest{}, `duplicate field "text", expected it once`},
		{`{"text": "a", "te\u0078t": "b"}`, translateRequest{}, `duplicate field "text", expected it once`},
		{`{"text": [{"a": [{"b": 1, "c": {}, "b": 1}]}]}`, translateRequest{}, `duplicate field "b", expected it once`},
		{`{"text": [{"a": 1}, {"a": 1}]}`, translateRequest{}, `text[0]: found {"a": 1}, expected a text`},

		{`{"text": 1}`, translateRequest{}, `text: found 1, expected a text or a list of texts`},
		{`{"text": ["a", 1]}`, translateRequest{}, `text[1]: found 1, expected a text`},
		{`{"text": ["a", null]}`, translateRequest{}, `text[1]: found null, expected a text`},
		{`{"prefix": "a"}`, translateRequest{}, `prefix: found "a", expected a list of texts`},
		{`{"prefix": [null]}`, translateRequest{}, `prefix[0]: found null, expected a text`},
		{`{"append": ["a"]}`, translateRequest{}, `append: found ["a"], expected a text`},
		{`{"model": 0}`, translateRequest{}, `model: found 0, expected a text`},
		{`{"tree": "true"}`, translateRequest{}, `tree: found "true", expected true or false`},
		{`{"alignments": 1}`, translateRequest{}, `alignments: found 1, expected true or false`},
		{`{"beam": "5"}`, translateRequest{}, `beam: found "5", expected a whole number of at most nine digits`},
		{`{"beam": 1.5}`, translateRequest{}, `beam: found 1.5, expected a whole number of at most nine digits`},
		{`{"beam": true}`, translateRequest{}, `beam: found true, expected a whole number of at most nine digits`},
		{`{"nbest": 1e400}`, translateRequest{}, `nbest: found 1e400, expected a whole number of at most nine digits`},
		{`{"nbest": 99999999999999999999}`, translateRequest{}, `nbest: found 99999999999999999999, expected a whole number of at most nine digits`},
		{`{"text": {"` + strings.Repeat("é", 100) + `": 1}}`, translateRequest{}, `text: found {"` + strings.Repeat("é", 38) + `, expected a text or a list of texts`},
	} {
		var got translateRequest
		err := unmarshal([]byte(test.body), &got, true)
		if message := messageOf(err); message != test.err || err == nil && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%.100s: got %+v and %q, want %+v and %q", test.body, got, message, test.want, test.err)
		}
	}
	var loose libreRequest
	if err := unmarshal([]byte(`{"secret": {"a": [1, {}]}, "q": ["a"], "alternatives": "2"}`), &loose, false); err != nil || loose.Alternatives != 2 || !loose.Q.many {
		t.Errorf("got %+v and %v", loose, err)
	}
	for body, want := range map[string]string{
		`{"secret": {"a": 1, "a": 1}}`: `duplicate field "a", expected it once`,
		`{"alternatives": "two"}`:      `alternatives: found "two", expected a whole number of at most nine digits`,
		`{"alternatives": []}`:         `alternatives: found [], expected a whole number of at most nine digits`,
	} {
		if got := messageOf(unmarshal([]byte(body), &loose, false)); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func messageOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
