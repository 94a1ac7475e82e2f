package server

import (
	"net/http"
	"strings"
	"testing"
)

// TestTerms has the terms of a request in all translations of the texts that have their sources.
func TestTerms(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Models[0].Open = copying(t)
		o.Models = append(o.Models, Model{Name: "tokens", Open: tiny})
	})
	const path, terms = "/v1/translate", `"nbest": 3, "terms": [{"source": "ab", "target": "Chien chat"}]}`
	for _, r := range get[translateAnswer](t, s, "POST", path, `{"text": ["a ab", "a b"], `+terms).Translations {
		for _, best := range r.Best {
			if want := r.Source.Words[1].Text == "ab"; strings.Contains(best.Text, "Chien chat") != want || best.Kept != nil {
				t.Errorf("source %v: got %q, want the term: %t", r.Source.Words, best.Text, want)
			}
		}
	}
	// A term is one token, however long it is, so that it costs the search no more than a word.
	long := strings.TrimSpace(strings.Repeat("la ", 3000))
	r := get[translateAnswer](t, s, "POST", path, `{"text": "a ab", "terms": [{"source": "ab", "target": "`+long+`"}]}`).Translations[0]
	if best := r.Best[0]; !strings.Contains(best.Text, long) || len(r.Source.Tokens) != 3 || len(best.Target.Tokens) > 3*3 {
		t.Errorf("%.20q: %d tokens of %d", best.Text, len(best.Target.Tokens), len(r.Source.Tokens))
	}
	for request, want := range map[string]string{
		`{"text": "a", "terms": [["ab", "chat"]]}`:                                                    "expected objects {",
		`{"text": "a", "terms": [{"source": "ab"}]}`:                                                  "expected objects {",
		`{"text": "a", "terms": [{"source": "a", "target": "b"}, {"source": "ab", "target": " "}]}`:   "term 2: ",
		`{"text": "a", "terms": [{"source": "ab", "target": "` + strings.Repeat("le ", 4000) + `"}]}`: "terms of 12002 characters",
		`{"text": "a", "model": "tokens", "terms": [{"source": "ab", "target": "b"}]}`:                "need a language",
	} {
		if w := ask(s, "POST", path, request); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.80s: status %d, %s; want 400 and %q", request, w.Code, w.Body, want)
		}
	}
}
