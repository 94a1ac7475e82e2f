package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
)

// TestSplit compares the sentences of texts with what requests for each get, and the whole translations with
// those for clients of LibreTranslate.
func TestSplit(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Models = []Model{{Name: "en-fr", Open: segmented(t, model.RNNsearch)}}
		o.MaxTexts = 5
	})
	texts := []string{"  ab ba. Bba!\tAb\r\n\n…\n ab", "", "! ?\n", "ba"}
	want := []place{{new(0), new(0), "ab ba."}, {new(0), new(0), "Bba!"}, {new(0), new(0), "Ab"}, {new(0), new(3), "ab"}, {new(3), new(0), "ba"}}
	fields := map[string]any{"text": texts, "split": true, "nbest": 2, "alignments": true}
	a := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, fields))
	events := parseEvents(t, ask(s, "POST", "/v1/stream", encode(t, map[string]any{"text": texts, "split": true})).Body.String())
	if len(a.Translations) != len(want) {
		t.Fatalf("%d translations, want %d", len(a.Translations), len(want))
	}
	for i, got := range a.Translations {
		if encode(t, got.place) != encode(t, want[i]) {
			t.Errorf("sentence %d is %s, want %s", i, encode(t, got.place), encode(t, want[i]))
		}
		fields = map[string]any{"text": got.Sentence, "nbest": 2, "alignments": true}
		alone := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, fields)).Translations[0]
		if alone.Text != nil || alone.Sentence != "" {
			t.Errorf("without split, a translation has the place %s", encode(t, alone.place))
		}
		alone.place = got.place
		if encode(t, got) != encode(t, alone) {
			t.Errorf("%q in a text gives\n%s, alone\n%s", got.Sentence, encode(t, got), encode(t, alone))
		}
		streamed := parseEvents(t, ask(s, "POST", "/v1/stream", encode(t, map[string]any{"text": got.Sentence})).Body.String())
		streamed = slices.Insert(streamed, 0, event{"sentence", encode(t, got.place)})
		if len(events) < len(streamed) || !slices.Equal(events[:len(streamed)], streamed) {
			t.Fatalf("the stream of sentence %d is\n%v, want\n%v", i, events, streamed)
		}
		events = events[len(streamed):]
	}
	if len(events) != 1 || events[0].name != "end" || strings.Count(events[0].data, `","`) != len(texts)-1 {
		t.Errorf("the stream ends with %v", events)
	}
	whole := get[libreAnswer](t, s, "POST", "/translate", encode(t, map[string]any{"q": texts, "source": "en", "target": "fr"})).TranslatedText
	if encode(t, a.Texts) != encode(t, whole) {
		t.Errorf("whole translations are %q, want %q", a.Texts, whole)
	}

	one := map[string]any{"text": " ab ba.\n", "split": true, "tree": true, "prefix": []string{"a"}}
	got := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, one))
	one["text"], one["split"] = "ab ba.", false
	alone := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, one))
	alone.Translations[0].place = place{new(0), new(0), "ab ba."}
	if encode(t, got.Translations) != encode(t, alone.Translations) || got.Texts[0] != " "+got.Translations[0].Best[0].Text+"\n" {
		t.Errorf("one sentence of a text gives %s\nwant %s", encode(t, got), encode(t, alone))
	}
	joined := map[string]any{"text": "ab\nb-\na. Bba!\n\n\tab\nAb", "split": true, "join_lines": true}
	events = parseEvents(t, ask(s, "POST", "/v1/stream", encode(t, joined)).Body.String())
	joined["beam"] = 1
	a = get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, joined))
	alone = get[translateAnswer](t, s, "POST", "/v1/translate", `{"text": "ab ba. Bba!\n\nAb", "split": true, "beam": 1}`)
	alone.Texts[0] = strings.Replace(alone.Texts[0], "\n\n", "\n\n\tab\n", 1)
	alone.Translations[2].Line = new(3)
	if encode(t, a) != encode(t, alone) || events[len(events)-1].data != encode(t, endEvent{alone.Texts}) {
		t.Errorf("joined lines give\n%s,\n%s, want\n%s", encode(t, a), events[len(events)-1].data, encode(t, alone))
	}
	for body, want := range map[string]string{
		`{"text": "ab. Ba.", "split": true, "tree": true}`:                  "tree for 2 sentences, expected one sentence",
		`{"text": "", "split": true, "tree": true}`:                         "tree for 0 sentences, expected one sentence",
		`{"text": ["ab", "ba"], "split": true, "prefix": ["a"]}`:            "prefix for 2 sentences, expected one sentence",
		`{"text": "…", "split": true, "append": "a"}`:                       "prefix for 0 sentences, expected one sentence",
		`{"text": "` + strings.Repeat(`a\n`, 6) + `", "split": true}`:       "request of 6 sentences, expected at most 5",
		`{"text": "ab ba. ` + strings.Repeat("a ", 251) + `","split":true}`: "sentence 1 has 256 words or segments of words, expected at most 250",
	} {
		for _, path := range []string{"/v1/translate", "/v1/stream"} {
			if strings.Contains(body, "tree") && path == "/v1/stream" {
				continue
			}
			if w := ask(s, "POST", path, body); w.Code != http.StatusBadRequest || decodedError(w.Body.Bytes()) != want {
				t.Errorf("%s %.60s: status %d, %s, want %s", path, body, w.Code, w.Body, want)
			}
		}
	}
	for _, text := range []string{"", "…", "\n \n"} {
		a := get[translateAnswer](t, s, "POST", "/v1/translate", encode(t, map[string]any{"text": text, "split": true, "terms": []any{}}))
		if len(a.Translations) != 0 || a.Texts[0] != text {
			t.Errorf("%q: got %s", text, encode(t, a))
		}
	}
}
