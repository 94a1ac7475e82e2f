package server

import (
	"context"
	"net/http"

	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

type scoreRequest struct {
	Model        string `json:"model"`
	Text         texts  `json:"text"`
	Translations list   `json:"translations"`
	Alignments   bool   `json:"alignments"`
}

type scoreAnswer struct {
	Model        string        `json:"model"`
	Source       side          `json:"source"`
	Translations []translation `json:"translations"` // in the order of the request
}

// score answers POST /v1/score: what the model gives to translations of a text, by forced decoding.
func (s *Server) score(w http.ResponseWriter, r *http.Request, body []byte) error {
	var q scoreRequest
	if err := unmarshal(body, &q, true); err != nil {
		return err
	}
	switch {
	case len(q.Text.list) == 0:
		return failf(http.StatusBadRequest, "missing text")
	case len(q.Text.list) > 1:
		return failf(http.StatusBadRequest, "score of translations of %d texts, expected one text", len(q.Text.list))
	case len(q.Translations) == 0:
		return failf(http.StatusBadRequest, "missing translations")
	case len(q.Translations) > s.options.MaxTexts:
		return failf(http.StatusBadRequest, "request of %d translations, expected at most %d", len(q.Translations), s.options.MaxTexts)
	}
	if err := s.checkCharacters(append(q.Text.list, q.Translations...), 1); err != nil {
		return err
	}
	t, err := s.find(w, q.Model)
	if err != nil {
		return err
	}
	defer t.release()
	list, err := t.sentences(q.Text.list, nil, s.options.MaxWords)
	if err != nil {
		return err
	}
	bytes, source, targets := int64(0), list[0], make([][]string, len(q.Translations))
	for i, text := range q.Translations {
		targets[i] = t.first().TargetText.WordsOf(text, source.Kept)
		n := len(targets[i])
		if n > s.options.MaxWords {
			return failf(http.StatusBadRequest, "translation %d has %d words or segments of words, expected at most %d", i+1, n, s.options.MaxWords)
		}
		bytes += s.need(source, n+1, q.Alignments) + perTextByte*int64(len(text))
	}
	if err := w.(*recorder).memory.add(bytes); err != nil {
		return err
	}
	a := scoreAnswer{Model: t.name, Source: source.Side()}
	scores, err := source.scores(r.Context(), targets)
	if err != nil {
		return err
	}
	for i, text := range q.Translations {
		one := source.translation(scores[i], q.Alignments)
		one.Text, one.Target.Words = text, api.WordsOf(t.first().TargetText.Spans(text, targets[i], source.Kept))
		a.Translations = append(a.Translations, one)
	}
	return writeJSON(w, http.StatusOK, a)
}

// scores returns what the model gives to targets, the words of each without EOS.
func (s sentence) scores(ctx context.Context, targets [][]string) ([]decode.Translation, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	examples, scores := make([]text.Example, len(targets)), make([]decode.Translation, len(targets))
	for i, words := range targets {
		examples[i] = text.Example{Source: s.IDs, Target: s.first().Target.Encode(words)}
	}
	var first error
	s.ScoreEach(ctx, examples, func(i int, r decode.Translation, err error) {
		if scores[i] = r; err != nil && first == nil {
			first = err
			cancel()
		}
	})
	return scores, first
}
