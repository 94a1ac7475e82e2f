// Package builtin has two models that translate English and French, with weights of int8. The program
// grows by 37 MB.
//
//	m, err := builtin.Open("en-fr")
//	t, err := decode.New(m, decode.Options{})
//
// A sentence is what the models have learned to translate: [pipeline.Pipeline.Sentences] of m.SourceText divides
// a text into sentences. The README beside this file is their model card.
package builtin

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model"
)

// Attribution names the text that the models have learned from, and its licences.
const Attribution = "European Parliament Proceedings Parallel Corpus, version 7; sentences of tatoeba.org, CC BY 2.0 FR; " +
	"messages of interfaces, documentation of software and prose under MIT, Apache-2.0, BSD, ISC, CC BY, CC BY-SA and the " +
	"Open Government Licence – Canada; documentation of Python and its translation, CC0; statutes and regulations of Canada, " +
	"Open Government Licence – Canada"

var (
	//go:embed en-fr.safetensors
	enFR string
	//go:embed fr-en.safetensors
	frEN string
)

// Names returns the names of the models, en-fr and fr-en: source and target language.
func Names() []string { return []string{"en-fr", "fr-en"} }

// Examples returns texts that the model of that name translates well, none for other names.
func Examples(name string) []string {
	return map[string][]string{
		"en-fr": {
			"Where is the train station?", "She gave me a book for my birthday.",
			"Can you tell me where my keys are? I would like to buy a cat.",
		},
		"fr-en": {
			"Où est la gare ?", "Je voudrais réserver une table pour deux personnes à huit heures.",
			"Je cherche un cadeau pour mon petit frère. J'ai oublié mon parapluie.",
		},
	}[name]
}

// File returns the model file of that name. It returns an error for other names.
func File(name string) (string, error) {
	switch name {
	case "en-fr":
		return enFR, nil
	case "fr-en":
		return frEN, nil
	}
	return "", fmt.Errorf("model %q: expected one of %q", name, Names())
}

// Open returns a new copy of the model of that name. It returns an error for other names.
func Open(name string) (*model.Model, error) {
	file, err := File(name)
	if err != nil {
		return nil, err
	}
	return model.Read(strings.NewReader(file))
}
