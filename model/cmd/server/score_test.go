package server

import (
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestScore compares scores with those of package decode and, for translations that the model has found,
// with its own.
func TestScore(t *testing.T) {
	s := newServer(t, nil)
	models, err := tiny()
	if err != nil {
		t.Fatal(err)
	}
	m := models[0]
	tr, err := decode.New(m, decode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for _, line := range lines {
		given := []string{"le chien dort", "", "un chat inconnu"}
		found := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, map[string]any{"text": line, "nbest": 3, "alignments": true})).Translations[0]
		for _, b := range found.Best {
			given = append(given, b.Text)
		}
		a := get[scoreAnswer](t, s, "POST", "/v1/score", encode(t, map[string]any{"text": line, "translations": given, "alignments": true}))
		if encode(t, a.Source) != encode(t, found.Source) || len(a.Translations) != len(given) {
			t.Fatalf("%q: source %+v, %d translations", line, a.Source, len(a.Translations))
		}
		for i, g := range a.Translations {
			ids := m.Target.Encode(strings.Fields(given[i]))
			want, err := tr.Score(t.Context(), m.Encode(line), ids)
			if err != nil {
				t.Fatal(err)
			}
			if g.Text != given[i] || g.LogProb != want.LogProb || g.Score != want.Score || len(g.Alignment) != len(ids) || len(g.Target.Words) != len(ids)-1 {
				t.Errorf("%q: %q has %+v, want %v and %v", line, given[i], g, want.LogProb, want.Score)
			}
			for j, id := range ids {
				token := g.Target.Tokens[j]
				if token.Token != m.Target.Word(id) || token.Unknown != (id == text.UNK) || *token.LogProb != want.LogProbs[j] || !slices.Equal(g.Alignment[j], want.Alignment.Row(j)) {
					t.Errorf("%q: %q: token %d is %+v", line, given[i], j, token)
				}
			}
			if i < 3 || line == "" {
				continue
			}
			// The search adds scores of float32.
			if b := found.Best[i-3]; math.Abs(g.LogProb-b.LogProb) > 1e-4 || !reflect.DeepEqual(g.Alignment, b.Alignment) || !reflect.DeepEqual(g.Target.Words, b.Target.Words) {
				t.Errorf("%q: %q has log p %v, and %v by a search", line, g.Text, g.LogProb, b.LogProb)
			}
		}
	}
	unknown := get[scoreAnswer](t, s, "POST", "/v1/score", `{"text": "the cat", "translations": ["un félin"]}`).Translations[0]
	if w := unknown.Target.Words[1]; w.Text != "félin" || !unknown.Target.Tokens[1].Unknown || unknown.Alignment != nil {
		t.Errorf("an unknown word: %+v", unknown)
	}
}

// TestScoreErrors has requests beyond the limits.
func TestScoreErrors(t *testing.T) {
	s := newServer(t, func(o *Options) { o.MaxTexts, o.MaxCharacters, o.MaxWords = 2, 40, 5 })
	for body, want := range map[string]string{
		`{"text": "a"}`:                                                      "missing translations",
		`{"translations": ["a"]}`:                                            "missing text",
		`{"text": ["a", "b"], "translations": ["a"]}`:                        "score of translations of 2 texts",
		`{"text": "a", "translations": "a"}`:                                 `translations: found \"a\", expected a list of texts`,
		`{"text": "a", "translations": ["a", "b", "c"]}`:                     "request of 3 translations, expected at most 2",
		`{"text": "a", "translations": ["a b c d e f"]}`:                     "translation 1 has 6 words",
		`{"text": "a", "translations": ["` + strings.Repeat("a", 40) + `"]}`: "request of 41 characters, expected at most 40",
		`{"text": "a", "translations": ["a"], "targets": []}`:                `unknown field \"targets\"`,
	} {
		if w := ask(s, "POST", "/v1/score", body); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, %s, want %s", body, w.Code, w.Body, want)
		}
	}
	if n := s.memory.used; n != 0 {
		t.Errorf("%d bytes remain taken", n)
	}
}
