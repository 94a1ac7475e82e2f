package server

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/builtin"
)

// builtinServer has the models that are built in.
func builtinServer(t testing.TB) *Server {
	return newServer(t, func(o *Options) {
		o.Models = nil
		for _, name := range builtin.Names() {
			o.Models = append(o.Models, Model{Name: name, Source: name[:2], Target: name[3:], Open: func() ([]*model.Model, error) {
				m, err := builtin.Open(name)
				return []*model.Model{m}, err
			}})
		}
	})
}

// TestDetect has sentences, parts of them and single words of two languages.
func TestDetect(t *testing.T) {
	s := builtinServer(t)
	for language, texts := range map[string][]string{
		"en": {
			"Where is the station?", "My sister has lived in this house since she was born.", "The red car.", "the red car", "THE RED CAR",
			"We had never seen so many birds", "Returns a new list; raises ValueError if the index is out of range.", "however", "I think so", "Hello",
		},
		"fr": {
			"Où est la gare ?", "Ma sœur habite dans cette maison depuis sa naissance.", "La voiture rouge.", "la voiture rouge", "LA VOITURE ROUGE",
			"Nous n'avions jamais vu autant d'oiseaux", "Renvoie une nouvelle liste ; lève ValueError si l'indice est hors limites.", "toujours", "Je crois", "Bonjour",
		},
	} {
		for _, text := range texts {
			list := get[[]detected](t, s, "POST", "/detect", encode(t, map[string]any{"q": text}))
			if list[0].Language != language || list[0].Confidence <= 50 || len(list) > 2 {
				t.Errorf("%q: got %v, want %s", text, list, language)
			}
			if one := get[libreAnswer](t, s, "POST", "/translate", encode(t, map[string]any{"q": text, "source": "auto", "target": language})); one.TranslatedText != text || !reflect.DeepEqual(one.Detected, decoded(t, encode(t, list[0]))) {
				t.Errorf("%q to its own language: %v", text, one)
			}
		}
		all := get[[]detected](t, s, "POST", "/detect", encode(t, map[string]any{"q": texts}))
		if !reflect.DeepEqual(all, []detected{{100, language}}) {
			t.Errorf("all texts: got %v, want %s", all, language)
		}
	}
	for q, want := range map[string][]detected{ // the bits of all machines
		"Table":          {{59.38, "en"}, {40.62, "fr"}},
		"Bonjour":        {{98.2, "fr"}, {1.8, "en"}},
		"ça va ?":        {{99.72, "fr"}, {0.28, "en"}},
		"42":             {{0, "en"}},
		"\xff\xfe\x00 é": s.languagesOf([]string{"é"}),
	} {
		if got := s.languagesOf([]string{q}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", q, got, want)
		}
	}
	both := get[libreAnswer](t, s, "POST", "/translate", `{"q": ["The cat.", "The dog sleeps."], "source": "auto", "target": "fr", "alternatives": 1}`)
	if list, _ := both.Detected.([]any); len(list) != 2 || !reflect.DeepEqual(list[0], list[1]) || list[0].(map[string]any)["language"] != "en" {
		t.Errorf("a list: %+v", both)
	}
	html := get[libreAnswer](t, s, "POST", "/translate", `{"q": "<p class='the and of that with have'>Bonjour</p><!-- the and of --><style>the and of</style><script>the and of</script>", "source": "auto", "target": "en", "format": "html"}`)
	if language := html.Detected.(map[string]any)["language"]; language != "fr" {
		t.Errorf("HTML: %+v", html)
	}
}

// TestDetectWithoutLanguages has a server whose models have no languages.
func TestDetectWithoutLanguages(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Models[0].Source, o.Models[0].Target = "", "" })
	if list := get[[]detected](t, s, "POST", "/detect", `{"q": "the dog"}`); len(list) != 0 {
		t.Errorf("got %v", list)
	}
	w := ask(s, "POST", "/translate", `{"q": "the dog", "source": "auto", "target": "fr"}`)
	if w.Code != 400 || !strings.HasPrefix(decodedError(w.Body.Bytes()), "auto is not supported") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
}

// FuzzDetect has any text in: the confidences are shares of 100.
func FuzzDetect(f *testing.F) {
	s, err := New(Options{Models: []Model{{Name: "en-fr", Source: "en", Target: "fr", Open: tiny}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	for _, q := range []string{"", "the dog", "le chien\n\nthe cat", "\xff", "日本", "ǅ İ ß", strings.Repeat("the ", 5000)} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		sum := 0.0
		for _, d := range s.languagesOf([]string{q}) {
			if !(d.Confidence >= 0 && d.Confidence <= 100) || d.Language != "en" && d.Language != "fr" {
				t.Errorf("%q: %v", q, d)
			}
			sum += d.Confidence
		}
		if sum != 0 && math.Abs(sum-100) > 0.1 {
			t.Errorf("%q: confidences add up to %v", q, sum)
		}
	})
}
