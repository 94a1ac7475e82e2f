package server

import (
	"net/http"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
)

// A place is where a sentence stands in the texts of a request that splits them, empty for others.
type place struct {
	Text     *int   `json:"text,omitempty"`     // index of the text
	Line     *int   `json:"line,omitempty"`     // of the text, from 0
	Sentence string `json:"sentence,omitempty"` // as it stands there
}

// A division is texts as lines of sentences.
type division struct {
	texts  [][]*markup.Document // a document for each line
	places []place              // of the sentences
}

// divide divides texts, for which it takes memory, into sentences within the limits.
func (s *Server) divide(w http.ResponseWriter, t *translator, texts []string) (*division, error) {
	var size int64
	for _, text := range texts {
		size += perTextByte*int64(len(text)) + perLine*int64(strings.Count(text, "\n"))
	}
	if err := w.(*recorder).memory.add(size); err != nil {
		return nil, err
	}
	d := &division{texts: make([][]*markup.Document, len(texts))}
	for i, text := range texts {
		for line := range strings.Lines(text) {
			number, parts := len(d.texts[i]), markup.Text(line, t.first().SourceText)
			for _, sentence := range parts.Sentences() {
				d.places = append(d.places, place{&i, &number, sentence})
			}
			d.texts[i] = append(d.texts[i], parts)
		}
	}
	if n := len(d.places); n > s.options.MaxTexts {
		return nil, failf(http.StatusBadRequest, "request of %d sentences, expected at most %d", n, s.options.MaxTexts)
	}
	return d, nil
}

func (d division) sentences() []string {
	list := make([]string, len(d.places))
	for i, p := range d.places {
		list[i] = p.Sentence
	}
	return list
}

// with returns the texts with translations of all sentences, and what stands around them as it was.
func (d division) with(translations []string) []string {
	list := make([]string, len(d.texts))
	for i, lines := range d.texts {
		var whole strings.Builder
		for _, line := range lines {
			whole.WriteString(line.With(func(i int) markup.Translation { return markup.Translation{Text: translations[i]} }))
			translations = translations[len(line.Sentences()):]
		}
		list[i] = whole.String()
	}
	return list
}

// single returns an error unless there is one text, or one sentence of texts that are split.
func single(what string, n int, split bool) error {
	unit := "text"
	if split {
		unit = "sentence"
	}
	if n != 1 {
		return failf(http.StatusBadRequest, "%s %d %ss, expected one %s", what, n, unit, unit)
	}
	return nil
}
