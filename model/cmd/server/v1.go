package server

import (
	"net/http"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// A query is what all requests of /v1 for translations have in common.
type query struct {
	Model  string `json:"model"`
	Text   texts  `json:"text"`
	Prefix list   `json:"prefix"` // tokens that translations begin with
	Append string `json:"append"` // text that follows the prefix

	CopyUnknown bool `json:"copy_unknown"` // source words in place of unknown words of translations
}

// request returns the request of a query for so many translations of each text, within the limits.
func (s *Server) request(q query, translations int) (r request, err error) {
	if err := s.checkTexts(q.Text, translations); err != nil {
		return r, err
	}
	if n := utf8.RuneCountInString(q.Append); n > s.options.MaxCharacters {
		return r, failf(http.StatusBadRequest, "append has %d characters, expected at most %d", n, s.options.MaxCharacters)
	}
	return request{model: q.Model, texts: q.Text.list, prefix: q.Prefix, append: q.Append, copyUnknown: q.CopyUnknown, beam: 1, nBest: 1}, nil
}

// split divides each line, maybe a joined one, into sentences.
func (r *request) split(joined bool) { r.format, r.byLine, r.joined = "text", true, joined }

type translateRequest struct {
	query
	Beam       count `json:"beam"`
	NBest      count `json:"nbest"`
	Alignments bool  `json:"alignments"`
	Tree       bool  `json:"tree"`
	Terms      terms `json:"terms"`      // that translations must have
	Split      bool  `json:"split"`      // translate the sentences of each line
	JoinLines  bool  `json:"join_lines"` // before that, and keep code
}

type translateAnswer struct {
	Model        string       `json:"model"`
	Translations []translated `json:"translations"`    // one for each text or, with split, sentence, in order
	Texts        []string     `json:"texts,omitempty"` // whole translations, with split
}

// translated is a sentence and its translations, the best first.
type translated struct {
	place
	Language string            `json:"language,omitempty"` // of a sentence that is not in the one of the model
	Source   api.Side          `json:"source"`
	Best     []api.Translation `json:"best"`
	Tree     []node            `json:"tree,omitempty"`
}

type node struct {
	ID      int     `json:"id"`
	Parent  int     `json:"parent"` // -1 for none
	Step    int     `json:"step"`   // from 0
	Token   string  `json:"token"`
	LogProb float64 `json:"logprob"` // of the token
	Total   float64 `json:"total"`   // of all tokens
	Ended   bool    `json:"finished"`
	Best    *int    `json:"best,omitempty"` // rank of the translation that it is
}

func (s *Server) translate(w http.ResponseWriter, r *http.Request, body []byte) error {
	var q translateRequest
	if err := unmarshal(body, &q, true); err != nil {
		return err
	}
	request, err := s.translateRequest(q)
	if err != nil {
		return err
	}
	j, err := s.search(r.Context(), w, request)
	if err != nil {
		return err
	}
	a := translateAnswer{Model: j.name, Translations: make([]translated, len(j.sentences))}
	for i, one := range j.sentences {
		a.Translations[i] = translated{place: one.at, Language: one.Other(), Source: one.Side(), Tree: one.nodes()}
		for _, best := range one.best {
			a.Translations[i].Best = append(a.Translations[i].Best, one.translation(best, q.Alignments))
		}
	}
	if q.Split {
		a.Texts = j.with(func(i int) markup.Translation { return markup.Translation{Text: a.Translations[i].Best[0].Text} })
	}
	return writeJSON(w, http.StatusOK, a)
}

func (s *Server) translateRequest(q translateRequest) (r request, err error) {
	beam, nBest, err := s.width(q.Model, q.Beam, q.NBest)
	if err != nil {
		return r, err
	}
	translations := nBest
	if q.Tree {
		translations += beam
	}
	if r, err = s.request(q.query, translations); err != nil {
		return r, err
	}
	characters := 0
	for _, term := range q.Terms {
		characters += utf8.RuneCountInString(term.Source) + utf8.RuneCountInString(term.Target)
	}
	if characters > s.options.MaxCharacters {
		return r, failf(http.StatusBadRequest, "terms of %d characters, expected at most %d", characters, s.options.MaxCharacters)
	}
	r.beam, r.nBest, r.terms, r.aligned, r.tree = beam, nBest, q.Terms, q.Alignments, q.Tree
	if q.Tree {
		r.single = "tree for"
	}
	if q.Split {
		r.split(q.JoinLines)
	}
	return r, nil
}

// width returns the beam and the number of translations for those that a request to a model asks for, where 0
// stands for the default.
func (s *Server) width(model string, beam, nBest count) (int, int, error) {
	for _, n := range []struct {
		name  string
		value count
	}{{"beam", beam}, {"nbest", nBest}} {
		if n.value < 0 || int(n.value) > s.options.MaxBeam {
			return 0, 0, failf(http.StatusBadRequest, "%s of %d, expected 1 to %d", n.name, n.value, s.options.MaxBeam)
		}
	}
	nBest = max(1, nBest)
	if beam == 0 {
		return max(s.beam(model), int(nBest)), int(nBest), nil
	}
	if nBest > beam {
		return 0, 0, failf(http.StatusBadRequest, "nbest of %d, expected at most the beam of %d", nBest, beam)
	}
	return int(beam), int(nBest), nil
}

func (s sentence) nodes() []node {
	list := make([]node, len(s.tree))
	for i, n := range s.tree {
		list[i] = node{
			ID: i, Parent: int(n.Parent), Token: s.Model.Target.Word(n.ID),
			LogProb: n.LogProb, Total: n.Total, Ended: n.ID == text.EOS,
		}
		if n.Parent >= 0 {
			list[i].Step = list[n.Parent].Step + 1
		}
		if rank := int(n.Rank); rank >= 0 {
			list[i].Best = &rank
		}
	}
	return list
}

type alternativesRequest struct {
	query
	N count `json:"n"`
}

type alternativesAnswer struct {
	Alternatives []alternative `json:"alternatives"`
}

// An alternative is a token that can follow a prefix.
type alternative struct {
	Token   string  `json:"token"`
	LogProb float64 `json:"logprob"`
	Word    string  `json:"word"` // that the token is part of, in the translation; empty for EOS
	Text    string  `json:"text"` // the whole translation that follows by greedy search
}

func (s *Server) alternatives(w http.ResponseWriter, r *http.Request, body []byte) error {
	var q alternativesRequest
	if err := unmarshal(body, &q, true); err != nil {
		return err
	}
	n, _, err := s.width(q.Model, q.N, 0)
	if err != nil {
		return err
	}
	request, err := s.request(q.query, n)
	if err != nil {
		return err
	}
	request.single, request.nBest = "alternatives for", n
	j, err := s.open(w, request)
	if err != nil {
		return err
	}
	defer j.release()
	one := j.sentences[0]
	prefix := one.Search.Prefix
	candidates, err := j.Next(r.Context(), one.Search.Source, prefix, n)
	if err != nil {
		return err
	}
	answer := alternativesAnswer{make([]alternative, len(candidates))}
	var continued []int // alternatives that are not EOS
	var list []sentence
	for i, c := range candidates {
		answer.Alternatives[i] = alternative{Token: one.Model.Target.Word(c.ID), LogProb: c.LogProb}
		if c.ID == text.EOS {
			answer.Alternatives[i].Text = one.show(decode.Translation{IDs: prefix})
			continue
		}
		next := one
		next.Search.Prefix, next.Search.NBest = append(prefix[:len(prefix):len(prefix)], c.ID), 1
		list, continued = append(list, next), append(continued, i)
	}
	if err := s.each(r.Context(), list, j); err != nil {
		return err
	}
	for k, i := range continued {
		whole := list[k].translation(list[k].best[0], false)
		answer.Alternatives[i].Word = wordAt(whole.Target, len(prefix))
		answer.Alternatives[i].Text = whole.Text
	}
	return writeJSON(w, http.StatusOK, answer)
}

// wordAt returns the text of the word of s that a token is part of, empty for EOS.
func wordAt(s api.Side, token int) string {
	for _, w := range s.Words {
		if w.Tokens[0] <= token && token < w.Tokens[1] {
			return w.Text
		}
	}
	return ""
}
