package server

import (
	"context"
	"net/http"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// A modelInfo describes a model to clients.
type modelInfo struct {
	Name       string `json:"name"`
	Source     string `json:"source"`
	Target     string `json:"target"`
	Kind       string `json:"kind"`
	Parameters int    `json:"parameters"` // of all models of an ensemble
	Weights    string `json:"weights"`
	Models     int    `json:"models"`
	Alignments bool   `json:"alignments"`
}

// limitsInfo describes the limits of requests to clients.
type limitsInfo struct {
	Beam       int   `json:"beam"` // largest
	Texts      int   `json:"texts"`
	Characters int   `json:"characters"`
	Body       int64 `json:"body"`
	Key        bool  `json:"key"` // requests need an API key
}

type modelList struct {
	Models  []modelInfo `json:"models"`
	Default string      `json:"default"`
	Beam    int         `json:"beam"` // of requests that do not say
	Limits  limitsInfo  `json:"limits"`
}

// listModels answers GET /v1/models.
func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) error {
	o := s.options
	list := modelList{
		Default: s.slots[0].Name, Beam: o.Decoding.Beam,
		Limits: limitsInfo{o.MaxBeam, o.MaxTexts, o.MaxCharacters, o.MaxBody, len(o.Keys) > 0},
	}
	for _, slot := range s.slots {
		t, err := slot.acquire()
		if err != nil {
			return err
		}
		list.Models = append(list.Models, t.info())
		t.release()
	}
	return writeJSON(w, http.StatusOK, list)
}

func (t *translator) info() modelInfo {
	c := t.first().Config
	i := modelInfo{
		Name: t.name, Source: t.source, Target: t.target, Kind: string(c.Kind),
		Weights: "float32", Models: len(t.models), Alignments: t.aligns(),
	}
	for _, m := range t.models {
		i.Parameters += len(m.Parameters.Values)
		if m.Config.Weights == model.Int8 {
			i.Weights = "int8"
		}
	}
	return i
}

type translateRequest struct {
	Model      string   `json:"model"`
	Text       texts    `json:"text"`
	Beam       int      `json:"beam"`
	NBest      int      `json:"nbest"`
	Prefix     []string `json:"prefix"`
	Alignments bool     `json:"alignments"`
	Tree       bool     `json:"tree"`
}

type translateAnswer struct {
	Model        string       `json:"model"`
	Translations []translated `json:"translations"`
}

// translated is a text and its translations, the best first.
type translated struct {
	Source side          `json:"source"`
	Best   []translation `json:"best"`
}

// translate answers POST /v1/translate.
func (s *Server) translate(w http.ResponseWriter, r *http.Request) error {
	var q translateRequest
	t, err := s.request(w, r, &q, func() (string, texts) { return q.Model, q.Text })
	if err != nil {
		return err
	}
	defer t.release()
	sentences := make([]sentence, len(q.Text.list))
	for i, line := range q.Text.list {
		sentences[i] = t.sentence(line)
	}
	best, err := t.search(r.Context(), sentences)
	if err != nil {
		return err
	}
	a := translateAnswer{t.name, make([]translated, len(sentences))}
	for i, sentence := range sentences {
		a.Translations[i].Source = sentence.side()
		for _, b := range best[i][:min(max(1, q.NBest), len(best[i]))] {
			a.Translations[i].Best = append(a.Translations[i].Best, sentence.translation(b, q.Alignments))
		}
	}
	return writeJSON(w, http.StatusOK, a)
}

// request reads a request into q, checks the key and the texts, and returns the translator of the model.
// about returns the model and the texts of q.
func (s *Server) request(w http.ResponseWriter, r *http.Request, q any, about func() (string, texts)) (*translator, error) {
	if err := s.keys.check(keyOf(r)); err != nil {
		return nil, err
	}
	body, err := s.body(w, r)
	if err != nil {
		return nil, err
	}
	if err := unmarshal(body, q, true); err != nil {
		return nil, err
	}
	name, texts := about()
	if len(texts.list) == 0 {
		return nil, failf(http.StatusBadRequest, "missing text")
	}
	if err := s.checkTexts(texts); err != nil {
		return nil, err
	}
	return s.find(name)
}

// search returns the translations of each sentence, the best first. If a sentence fails, the search
// for the others ends.
func (t *translator) search(ctx context.Context, list []sentence) ([][]decode.Translation, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sources, best := make([]decode.Sentence, len(list)), make([][]decode.Translation, len(list))
	for i, s := range list {
		sources[i] = decode.Sentence{Source: s.ids}
	}
	var first error
	t.Each(ctx, sources, func(i int, b []decode.Translation, err error) {
		best[i] = b
		if err != nil && first == nil {
			first = err
			if len(list) > 1 {
				first = failf(statusOf(err), "text %d: %v", i+1, err)
			}
			cancel()
		}
	})
	return best, first
}

// alternatives answers POST /v1/alternatives.
func (s *Server) alternatives(w http.ResponseWriter, r *http.Request) error {
	return failf(http.StatusNotImplemented, "alternatives are not there yet")
}
