package server

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
)

const formType = "application/x-www-form-urlencoded"

// multipartForm returns a body as the FormData of browsers makes it, and its type.
func multipartForm(t *testing.T, values map[string]string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range values {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// TestLibreTranslate replays requests as clients of LibreTranslate send them: its page and the
// examples of its documentation in JSON, libretranslatepy as a form, LibreTranslate's page as FormData,
// others in the address. The answers are in JSON.
func TestLibreTranslate(t *testing.T) {
	s := newServer(t, nil)
	page, pageType := multipartForm(t, map[string]string{
		"q": "the dog sleeps\r\nthe cat eats", "source": "en", "target": "fr", "format": "text", "alternatives": "3", "api_key": "", "secret": "x",
	})
	const (
		dog, cat = "le chien dort dans le jardin", "le chat mange dans la maison"
		auto     = `"detectedLanguage":{"confidence":78.74,"language":"en"}`
	)
	for _, test := range []struct {
		name, path, kind, body, want string
		code                         int
	}{
		{"with a character set", "", "application/json; charset=utf-8", `{"q": "the dog sleeps", "source": "en", "target": "fr", "format": "text", "api_key": ""}`, `{"translatedText":"` + dog + `"}`, 200},
		{"null fields", "", "application/json", `{"q": "the dog sleeps", "source": "en", "target": "fr", "format": null, "alternatives": null, "api_key": null}`, `{"translatedText":"` + dog + `"}`, 200},
		{"batch", "", "application/json", `{"q": ["the dog sleeps", "the cat eats"], "source": "en", "target": "fr"}`, `{"translatedText":["` + dog + `","` + cat + `"]}`, 200},
		{"batch, auto", "", "application/json", `{"q": ["the cat eats", "😀"], "source": "auto", "target": "fr"}`,
			`{"translatedText":["` + cat + `","😀"],"detectedLanguage":[{"confidence":78.74,"language":"en"},{"confidence":78.74,"language":"en"}]}`, 200},
		{"the language that it is in", "", "application/json", `{"q": "le <b>chien</b>", "source": "auto", "target": "fr", "alternatives": 2}`,
			`{"translatedText":"le <b>chien</b>","alternatives":[],"detectedLanguage":{"confidence":56.16,"language":"fr"}}`, 200},
		{"the same language", "", "application/json", `{"q": ["the dog"], "source": "en", "target": "en"}`, `{"translatedText":["the dog"]}`, 200},
		{"address", "?q=the+cat+eats&source=en&target=fr", "", "", `{"translatedText":"` + cat + `"}`, 200},
		{"only emoji", "", formType, "q=😀+!&source=en&target=fr", `{"translatedText":"😀 !"}`, 200},
		{"lines and spaces", "", "application/json", `{"q": " the dog sleeps \n\n\tthe cat eats\n", "source": "en", "target": "fr"}`, `{"translatedText":" ` + dog + ` \n\n\t` + cat + `\n"}`, 200},
		{"html", "", "application/json", `{"q": "<p class='x'>the dog sleeps</p><!-- the cat -->&lt; <code>the cat</code>", "source": "en", "target": "fr", "format": "html"}`,
			`{"translatedText":"<p class='x'>` + dog + `</p><!-- the cat -->&lt; <code>the cat</code>"}`, 200},

		{"empty list", "", "application/json", `{"q": [], "source": "en", "target": "fr"}`, "Invalid request: missing q parameter", 400},
		{"no source", "", formType, "q=a&target=fr", "Invalid request: missing source parameter", 400},
		{"no target", "", formType, "q=a&source=en", "Invalid request: missing target parameter", 400},
		{"no such pair", "", formType, "q=a&source=fr&target=en", "English (en) is not available as a target language from French (fr)", 400},
		{"alternatives in words", "", formType, "q=a&source=en&target=fr&alternatives=abc", "alternatives: found abc, expected a whole number", 400},
		{"no object", "", "application/json", `["not", "a", "dict"]`, `request: found ["not", "a", "dict"], expected an object`, 400},
		{"field twice", "?source=fr", formType, "q=a&source=en&target=fr", `duplicate field "source"`, 400},
		{"not UTF-8", "", formType, "q=%ff&source=en&target=fr", "the form is not UTF-8", 400},
		{"no form", "", formType, "q=%zz", "invalid form: ", 400},
		{"no parts", "", "multipart/form-data", "q", "invalid form: ", 400},
		{"long", "", "application/json", `{"q": "` + strings.Repeat("a ", 251) + `", "source": "en", "target": "fr"}`, "sentence 1 has 251 words", 400},
	} {
		w := ask(s, "POST", "/translate"+test.path, test.body, "Content-Type", test.kind)
		body := strings.TrimSuffix(w.Body.String(), "\n")
		if test.code != 200 {
			if w.Code != test.code || !strings.HasPrefix(decodedError(w.Body.Bytes()), test.want) {
				t.Errorf("%s: status %d, %s, want %d and %s", test.name, w.Code, body, test.code, test.want)
			}
			continue
		}
		if got, want := decoded(t, body), decoded(t, test.want); w.Code != 200 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: status %d, %s, want %s", test.name, w.Code, body, test.want)
		}
		if origin := w.Header().Get("Access-Control-Allow-Origin"); origin != "*" {
			t.Errorf("%s: pages of origin %q may read the answer", test.name, origin)
		}
	}

	a := get[libreAnswer](t, s, "POST", "/translate", page, "Content-Type", pageType)
	alternatives, _ := a.Alternatives.([]any)
	if a.TranslatedText != dog+"\n"+cat || len(alternatives) != 3 {
		t.Errorf("the page gets %+v", a)
	}
	seen := map[any]bool{a.TranslatedText: true}
	for _, text := range alternatives {
		if seen[text] || strings.Count(text.(string), "\n") != 1 {
			t.Errorf("alternative %q", text)
		}
		seen[text] = true
	}
	a = get[libreAnswer](t, s, "POST", "/translate", `{"q": ["the dog sleeps", "😀"], "source": "en", "target": "fr", "alternatives": "2"}`)
	if lists, _ := a.Alternatives.([]any); len(lists) != 2 || len(lists[0].([]any)) != 2 || len(lists[1].([]any)) != 0 {
		t.Errorf("alternatives of a batch: %+v", a)
	}
	form := url.Values{"q": {"the dog sleeps"}, "source": {"en"}, "target": {"fr"}}.Encode()
	if code := ask(s, "GET", "/translate?"+form, "").Code; code != 405 {
		t.Errorf("GET gives status %d", code)
	}
}

func decoded(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

// TestLanguages has models for several pairs.
func TestLanguages(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Models = []Model{
			{Name: "a", Source: "en", Target: "fr", Open: tiny},
			{Name: "without", Open: tiny},
			{Name: "b", Source: "en", Target: "de", Open: tiny},
			{Name: "c", Source: "fr", Target: "de", Open: tiny},
			{Name: "d", Source: "en", Target: "fr", Open: tiny},
		}
	})
	want := []libreLanguage{{"en", "English", []string{"fr", "de"}}, {"fr", "French", []string{"de"}}, {"de", "German", []string{}}}
	if got := get[[]libreLanguage](t, s, "GET", "/languages", ""); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	settings := get[libreSettings](t, s, "GET", "/frontend/settings", "")
	if settings.Language.Source != (libreDefault{"en", "English"}) || settings.Language.Target != (libreDefault{"fr", "French"}) || settings.CharLimit != 10_000 || settings.KeyRequired {
		t.Errorf("got %+v", settings)
	}
	for body, code := range map[string]int{
		`{"q": "the dog", "source": "auto", "target": "fr"}`: 200,
		`{"q": "the dog", "source": "auto", "target": "de"}`: 200,
		`{"q": "the dog", "source": "de", "target": "en"}`:   400,
		`{"q": "the dog", "source": "fr", "target": "de"}`:   200,
	} {
		if w := ask(s, "POST", "/translate", body); w.Code != code {
			t.Errorf("%s: status %d, %s", body, w.Code, w.Body)
		}
	}
}

// TestSentences divides plain text into sentences, which a model of it translates one by one.
func TestSentences(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Models = []Model{{Name: "en-fr", Open: segmented(t, model.RNNsearch)}}
		o.MaxWords = 6
	})
	t1, err := s.find(&recorder{}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer t1.release()
	d, err := markup.Whole("text", "A b. Ab a!\n b ", t1.first().SourceText, "fr")
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Sentences(); !reflect.DeepEqual(got, []string{"A b.", "Ab a!", "b"}) {
		t.Errorf("sentences %q", got)
	}
	body := `{"q": "` + strings.Repeat("A b. ", 10) + `", "source": "en", "target": "fr"}`
	if w := ask(s, "POST", "/translate", body); w.Code != 200 {
		t.Errorf("ten sentences within the limit of words: status %d, %s", w.Code, w.Body)
	}
}
