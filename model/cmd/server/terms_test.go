package server

import (
	"net/http"
	"strings"
	"testing"
)

// TestTerms has the terms of a request in all translations of the texts that have their sources.
func TestTerms(t *testing.T) {
	s := newServer(t, nil)
	const path, terms = "/v1/translate", `"nbest": 3, "terms": [{"source": "cat", "target": "chien chat"}]}`
	for _, r := range get[translateAnswer](t, s, "POST", path, `{"text": ["the cat", "the dog"], `+terms).Translations {
		for _, best := range r.Best {
			if want := strings.Contains(r.Source.Words[1].Text, "cat"); strings.Contains(best.Text, "chien chat") != want {
				t.Errorf("source %v: got %q, want the term: %t", r.Source.Words, best.Text, want)
			}
		}
	}
	long := strings.TrimSpace(strings.Repeat("le chat ", 40))
	answer := get[translateAnswer](t, s, "POST", path, `{"text": "the cat", "terms": [{"source": "cat", "target": "`+long+`"}]}`)
	if best := answer.Translations[0].Best[0]; strings.Count(best.Text, "le chat") < 40 {
		t.Errorf("got %q without the term of 80 words", best.Text)
	}
	s.options.MaxWords = 90
	for request, want := range map[string]string{
		`{"text": "the cat cat", "terms": [{"source": "cat", "target": "` + long[:8*30-1] + `"}]}`:           "sentence 1 has 123 words or segments of words with those of its terms, expected at most 90",
		`{"text": "the cat", "terms": [["cat", "chat"]]}`:                                                    `expected objects {`,
		`{"text": "the cat", "terms": [{"source": "cat"}]}`:                                                  "expected objects {",
		`{"text": "the cat", "terms": [{"source": "cat", "target": "zzz"}]}`:                                 `term 1: this model cannot write \"zzz\"`,
		`{"text": "the cat", "terms": [{"source": "cat", "target": "` + strings.Repeat("le ", 4000) + `"}]}`: "terms of 12003 characters",
	} {
		if w := ask(s, "POST", path, request); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.80s: status %d, %s; want 400 and %q", request, w.Code, w.Body, want)
		}
	}
}
