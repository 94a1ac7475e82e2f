package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/decode"
)

// texts are one text or a list of texts.
type texts struct {
	list []string
	many bool // a list, maybe of one text
}

func (t *texts) UnmarshalJSON(data []byte) error {
	var one *string
	if json.Unmarshal(data, &one) == nil {
		if one != nil {
			t.list = []string{*one}
		}
		return nil
	}
	t.many = true
	if json.Unmarshal(data, &t.list) != nil {
		return errors.New("expected a text or a list of texts")
	}
	return nil
}

// unmarshal decodes a body that is one JSON object. Strict decoding refuses unknown fields.
func unmarshal(body []byte, v any, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		return failf(http.StatusBadRequest, "invalid JSON: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return failf(http.StatusBadRequest, "invalid JSON: more than one value, expected one object")
	}
	return nil
}

// checkTexts returns an error unless there are texts and n translations of each are within the
// limits.
func (s *Server) checkTexts(t texts, n int) error {
	characters := 0
	for _, text := range t.list {
		characters += utf8.RuneCountInString(text)
	}
	switch {
	case len(t.list) == 0:
		return failf(http.StatusBadRequest, "missing text")
	case len(t.list) > s.options.MaxTexts:
		return failf(http.StatusBadRequest, "request of %d texts, expected at most %d", len(t.list), s.options.MaxTexts)
	case characters > s.options.MaxCharacters/n:
		return failf(http.StatusBadRequest, "request of %d characters, expected at most %d for %d translations", characters, s.options.MaxCharacters/n, n)
	}
	return nil
}

// A sentence is a text as a model reads it.
type sentence struct {
	*translator
	text   string
	words  []string // without EOS
	ids    []int32
	prefix []int32 // that translations begin with
}

// sentences returns the sentences of lines, whose translations begin with a prefix. It fails if a
// sentence or the prefix has more than maxWords words.
func (t *translator) sentences(lines []string, prefix []int32, maxWords int) ([]sentence, error) {
	list := make([]sentence, len(lines))
	for i, line := range lines {
		words := t.first().SourceText.Words(line)
		if n := max(len(words), len(prefix)); n > maxWords {
			return nil, failf(http.StatusBadRequest, "text %d has %d words or segments of words, expected at most %d", i+1, n, maxWords)
		}
		list[i] = sentence{t, line, words, t.first().EncodeWords(words), prefix}
	}
	return list, nil
}

func (s sentence) decoding(beam, nBest int) decode.Sentence {
	return decode.Sentence{Source: s.ids, Prefix: s.prefix, Beam: beam, NBest: nBest}
}

// search returns the translations of each sentence, the best first. If a sentence fails, the search
// for the others ends.
func (s *Server) search(ctx context.Context, t *translator, list []sentence, beam, nBest int) ([][]decode.Translation, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	searches, best := make([]decode.Sentence, len(list)), make([][]decode.Translation, len(list))
	for i, sentence := range list {
		searches[i] = sentence.decoding(beam, nBest)
	}
	var first error
	t.Each(ctx, searches, func(i int, b []decode.Translation, err error) {
		best[i] = b
		if err != nil && first == nil {
			first = err
			cancel()
		}
	})
	if first != nil {
		return nil, first
	}
	for i, sentence := range list {
		s.metrics.translated(sentence, best[i][0])
	}
	return best, nil
}
