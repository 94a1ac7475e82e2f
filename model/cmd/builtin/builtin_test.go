package builtin

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

func TestOpen(t *testing.T) {
	for _, name := range Names() {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.SourceText.Language() + "-" + m.TargetText.Language(); got != name {
			t.Errorf("%s: languages %s", name, got)
		}
		if file, _ := File(name); len(file) > 20_000_000 || m.Config.Weights != model.Int8 {
			t.Errorf("%s: %d bytes of %s, want at most 20,000,000 of int8", name, len(file), m.Config.Weights)
		}
	}
	if _, err := Open("../en-fr"); err == nil {
		t.Error("no error for an unknown name")
	}
}

// TestLanguage has lines in either language, with words and names that both languages have.
func TestLanguage(t *testing.T) {
	en, fr := "Nobody came to my party.", "Personne n'est venu à ma fête."
	for name, lines := range map[string]map[string]string{
		"en-fr": {en: "en", fr: "fr", "Où est la gare ?": "fr", "Paris, Strasbourg, Europe": "en", "Привет, как дела?": "und", "Es tut mir leid, ich verstehe dich nicht.": "und", "Call `les_mots_de_la_langue()` first": "en", "Non.": "en"},
		"fr-en": {en: "en", fr: "fr", "Where is the station?": "en", "We need a few more chairs.": "en", "Paris, Strasbourg, Europe": "fr", "No.": "fr"},
	} {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for line, want := range lines {
			if got := m.Language(m.SourceText.Read(line, nil)); got != want {
				t.Errorf("%s: %q is in %q, want %q", name, line, got, want)
			}
		}
	}
}

// TestTranslate has what the models answer, on every implementation.
func TestTranslate(t *testing.T) {
	answers := map[string]map[string]string{
		"en-fr": {
			"Hello, how are you?":                 "Bonjour, comment vas-tu ?",
			"Where is the train station?":         "Où est la gare ?",
			"She gave me a book for my birthday.": "Elle m'a donné un livre pour mon anniversaire.",
			"Can you tell me where my keys are?":  "Peux-tu me dire où sont mes clés ?",
			"I would like to buy a cat.":          "Je voudrais acheter un chat.",
			"where is the train station":          "où est la gare",
			"HOW MUCH DOES IT COST?":              "COMBIEN ÇA COÛTE ?",
			"HTML, JSON":                          "HTML, JSON",
			"- Where is the train station? 🚉":     "- Où est la gare ? 🚉",
			"👍":                                   "👍",
			"hello":                               "bonjour",
			"goodbye":                             "au revoir",
			"Dog":                                 "Chien",
			"Open /tmp/nothing now.":              "Ouvrez /tmp/nothing maintenant.",
			"Ask @alice about #golang.":           "Demandez à @alice sur #golang.",
			"Call :func:`os.walk` with *topdown* set to ``True``.": "Appelez :func:`os.walk` avec *topdown* défini à ``True``.",
		},
		"fr-en": {
			"Où est la gare ?":                           "Where's the station?",
			"OÙ EST LA GARE ?":                           "WHERE'S THE STATION?",
			"Je cherche un cadeau pour mon petit frère.": "I'm looking for a gift for my little brother.",
			"Ouvrez le fichier /etc/hosts.":              "Open the /etc/hosts file.",
			"J'ai oublié mon parapluie.":                 "I forgot my umbrella.",
			"Je voudrais réserver une table pour deux personnes à huit heures.": "I'd like to reserve a table for two people at eight.",
			"Si j'avais su, je ne serais pas venu.":                             "If I had known, I wouldn't have come.",
			"Renvoie une liste de toutes les clés dans le dictionnaire.":        "Returns a list of all keys in the dictionary.",
		},
	}
	for _, k := range kernels.Available() {
		for name, want := range answers {
			m, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			translator, err := decode.New(m, decode.Options{Beam: 5, Normalization: new(1.0), Kernels: &k})
			if err != nil {
				t.Fatal(err)
			}
			defer translator.Close()
			for _, sentence := range m.SourceText.Sentences(strings.Join(Examples(name), " ")) {
				if want[sentence] == "" {
					t.Errorf("%s: example %q is not tested", name, sentence)
				}
			}
			var lines []string
			for line := range want {
				lines = append(lines, line)
			}
			slices.Sort(lines)
			got, err := translator.Lines(context.Background(), lines)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range lines {
				if got[i] != want[line] {
					t.Errorf("%s, %s: %q: got %q, want %q", k, name, line, got[i], want[line])
				}
			}
		}
	}
}
