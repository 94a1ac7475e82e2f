package server

import (
	"context"
	"net/http"

	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

type scoreRequest struct {
	Model        string `json:"model"`
	Text         texts  `json:"text"`
	Translations list   `json:"translations"`
	Alignments   bool   `json:"alignments"`
}

type scoreAnswer struct {
	Model        string            `json:"model"`
	Source       api.Side          `json:"source"`
	Translations []api.Translation `json:"translations"` // in the order of the request
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
	case len(q.Translations) == 0:
		return failf(http.StatusBadRequest, "missing translations")
	case len(q.Translations) > s.options.MaxTexts:
		return failf(http.StatusBadRequest, "request of %d translations, expected at most %d", len(q.Translations), s.options.MaxTexts)
	}
	if err := s.checkCharacters(append(q.Text.list, q.Translations...), 1); err != nil {
		return err
	}
	j, err := s.open(w, request{model: q.Model, texts: q.Text.list, aligned: q.Alignments, single: "score of translations of"})
	if err != nil {
		return err
	}
	defer j.release()
	one, m, bytes := j.sentences[0], j.first(), int64(0)
	targets, examples := make([]pipeline.Reading, len(q.Translations)), make([]text.Example, len(q.Translations))
	for i, translation := range q.Translations {
		targets[i] = m.TargetText.ReadTranslation(translation, one.Reading)
		n := len(targets[i].Words)
		if n > s.options.MaxWords {
			return failf(http.StatusBadRequest, "translation %d has %d words or segments of words, expected at most %d", i+1, n, s.options.MaxWords)
		}
		examples[i] = text.Example{Source: one.Search.Source, Target: m.Target.Encode(targets[i].Words)}
		bytes += perSentence + perTextByte*int64(len(translation)) + j.translationBytes(one, n+1)
	}
	if err := w.(*recorder).memory.add(bytes); err != nil {
		return err
	}
	scores, err := j.scores(r.Context(), examples)
	if err != nil {
		return err
	}
	a := scoreAnswer{Model: j.name, Source: one.Side()}
	for i, translation := range q.Translations {
		scored := one.translation(scores[i], q.Alignments)
		scored.Text, scored.Target.Words = translation, api.WordsOf(targets[i].Tokens)
		a.Translations = append(a.Translations, scored)
	}
	return writeJSON(w, http.StatusOK, a)
}

// scores returns what the model gives to examples. If one fails, the others end.
func (t *translator) scores(ctx context.Context, examples []text.Example) (scores []decode.Translation, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	scores = make([]decode.Translation, len(examples))
	t.ScoreEach(ctx, examples, func(i int, r decode.Translation, failure error) {
		if scores[i] = r; failure != nil && err == nil {
			err = failure
			cancel()
		}
	})
	return scores, err
}
