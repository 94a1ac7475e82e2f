package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// TestErrors has requests that cannot be answered.
func TestErrors(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.MaxTexts, o.MaxCharacters, o.MaxWords, o.MaxBody, o.MaxBeam = 3, 100, 12, 2000, 10
	})
	for _, test := range []struct {
		method, path, body string
		code               int
		says               string
	}{
		{"POST", "/v1/translate", `{"text": "a"`, 400, "invalid JSON"},
		{"POST", "/v1/translate", `{"text": "a", "nbests": 1}`, 400, `unknown field "nbests", expected one of model, `},
		{"POST", "/v1/translate", `{}`, 400, "missing text"},
		{"POST", "/v1/translate", `{"text": null}`, 400, "missing text"},
		{"POST", "/v1/translate", `{"text": []}`, 400, "missing text"},
		{"POST", "/v1/translate", "{\"text\": \"\xff\"}", 400, "UTF-8"},
		{"POST", "/v1/translate", `{"text": ["", "", "", ""]}`, 400, "4 texts, expected at most 3"},
		{"POST", "/v1/translate", `{"text": ["` + strings.Repeat("é", 51) + `","` + strings.Repeat("é", 50) + `"]}`, 400, "101 characters, expected at most 100"},
		{"POST", "/v1/translate", `{"text": "` + strings.Repeat("é", 51) + `", "nbest": 2}`, 400, "51 characters, expected at most 50"},
		{"POST", "/v1/translate", `{"text": ["a", "` + strings.Repeat("a ", 13) + `"]}`, 400, "sentence 2 has 13 words"},
		{"POST", "/v1/translate", `{"text": "` + strings.Repeat("a", 2000) + `"}`, 413, "more than 2000 bytes"},
		{"POST", "/v1/translate", `{"text": "a", "beam": 11}`, 400, "beam of 11, expected 1 to 10"},
		{"POST", "/v1/translate", `{"text": "a", "beam": -1}`, 400, "beam of -1"},
		{"POST", "/v1/translate", `{"text": "a", "beam": 1e3}`, 400, "beam of 1000, expected 1 to 10"},
		{"POST", "/v1/translate", `{"text": "a", "nbest": 10000}`, 400, "nbest of 10000"},
		{"POST", "/v1/translate", `{"text": "a", "nbest": 3, "beam": 2}`, 400, "nbest of 3, expected at most the beam of 2"},
		{"POST", "/v1/translate", `{"text": "a", "model": "de-en"}`, 404, `"de-en"`},
		{"POST", "/v1/translate", `{"text": "a", "prefix": ["chien", "xyz"]}`, 400, `this model cannot write "xyz"`},
		{"POST", "/v1/translate", `{"text": "a", "prefix": ["chien"], "append": "le ø le"}`, 400, `this model cannot write "ø"`},
		{"POST", "/v1/translate", `{"text": "a", "append": "` + strings.Repeat("é", 101) + `"}`, 400, "append has 101 characters, expected at most 100"},
		{"POST", "/v1/translate", `{"text": "a", "prefix": ["</s>"]}`, 400, `"</s>"`},
		{"POST", "/v1/translate", `{"text": ["a", "b"], "prefix": ["chien"]}`, 400, "one text"},
		{"POST", "/v1/translate", `{"text": ["a", "b"], "tree": true}`, 400, "one text"},
		{"POST", "/v1/translate", `{"text": "a", "append": "` + strings.Repeat("le ", 13) + `"}`, 400, "13 words"},
		{"POST", "/v1/translate", `{"text": "a", "append": "` + strings.Repeat("le ", 6) + `"}`, 400, "prefix of 6 ids"},
		{"POST", "/v1/stream", `{"text": ["a", "b"]}`, 400, "one text"},
		{"POST", "/v1/stream", `{"text": "a", "prefix": ["le","le","le","le","le","le"]}`, 400, "prefix of 6 ids"},
		{"POST", "/v1/stream", `{"text": "a", "beam": 2}`, 400, `unknown field "beam", expected one of model, text, prefix, append`},
		{"POST", "/v1/alternatives", `{"text": ["a", "b"]}`, 400, "one text"},
		{"POST", "/v1/alternatives", `{"text": "a", "n": 10000}`, 400, "10000"},
		{"GET", "/v1/translate", ``, 405, "POST"},
		{"POST", "/v1/models", ``, 405, "GET"},
		{"POST", "/docs", `{"q": "a"}`, 404, `"/docs"`},
		{"GET", "/page/no.js", ``, 404, ""},
		{"GET", "/v1", ``, 404, "no such path"},
	} {
		w := ask(s, test.method, test.path, test.body)
		if w.Code != test.code || !strings.Contains(w.Body.String(), strings.ReplaceAll(test.says, `"`, `\"`)) && !strings.Contains(decodedError(w.Body.Bytes()), test.says) {
			t.Errorf("%s %s %.100s: status %d, %s, want %d and %q", test.method, test.path, test.body, w.Code, w.Body, test.code, test.says)
		}
		if test.says != "" && decodedError(w.Body.Bytes()) == "" {
			t.Errorf("%s %s %.100s: no error in %s", test.method, test.path, test.body, w.Body)
		}
	}
	// What is just within the limits.
	for _, body := range []string{
		`{"text": ["` + strings.Repeat("é", 50) + `","` + strings.Repeat("é", 50) + `"]}`,
		`{"text": "` + strings.Repeat("a ", 12) + `", "nbest": 4, "beam": 10}`,
	} {
		if w := ask(s, "POST", "/v1/translate", body); w.Code != http.StatusOK {
			t.Errorf("%s: status %d, %s", body, w.Code, w.Body)
		}
	}
}

// decodedError returns the error of an answer, empty if it has none.
func decodedError(body []byte) string {
	var e errorBody
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	return e.Error
}

// TestOptions has options that New refuses.
func TestOptions(t *testing.T) {
	before := runtime.NumGoroutine()
	one := []Model{{Name: "a", Open: tiny}}
	for says, o := range map[string]Options{
		"no model":             {},
		`model name ""`:        {Models: []Model{{Open: tiny}}},
		`model name "a b"`:     {Models: []Model{{Name: "a b", Open: tiny}}},
		"two models":           {Models: []Model{{Name: "a", Open: tiny}, {Name: "a", Open: tiny}}},
		`"english"`:            {Models: []Model{{Name: "a", Source: "english", Open: tiny}}},
		"expected a function":  {Models: []Model{{Name: "a"}}},
		"no model,":            {Models: []Model{{Name: "a", Open: func() ([]*model.Model, error) { return nil, nil }}}},
		"language is en":       {Models: []Model{{Name: "a", Source: "de", Open: segmented(t, model.RNNsearch)}}},
		"without vocabularies": {Models: []Model{{Name: "a", Open: func() ([]*model.Model, error) { return []*model.Model{{}}, nil }}}},
		"model b: invalid":     {Models: append(one, Model{Name: "b", Open: func() ([]*model.Model, error) { return nil, nil }})},
		"limit of texts is -1": {Models: one, MaxTexts: -1},
		"128 times as many":    {Models: one, MaxMemory: 1 << 20},
		"beam of 30":           {Models: one, Decoding: decode.Options{Beam: 30}},
		"example.org:80":       {Models: one, Hosts: []string{"example.org:80"}},
		"origin":               {Models: one, Origins: []string{"example.org"}},
		"no API key":           {Models: one, Keys: func() ([]Key, error) { return nil, nil }},
		"key that is empty":    {Models: one, Keys: func() ([]Key, error) { return []Key{{}}, nil }},
	} {
		s, err := New(o)
		if err == nil {
			s.Close()
		}
		if !errors.Is(err, model.ErrConfig) || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %s", err, says)
		}
	}
	eventually(t, "no goroutine of a server", func() bool { return runtime.NumGoroutine() <= before })
}
