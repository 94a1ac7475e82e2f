package server

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

type modelList struct {
	Models  []modelInfo `json:"models"`
	Default string      `json:"default"`
	Beam    int         `json:"beam"` // of requests that set none
	Limits  limitsInfo  `json:"limits"`
}

type modelInfo struct {
	Name       string   `json:"name"`
	Source     string   `json:"source"`
	Target     string   `json:"target"`
	Kind       string   `json:"kind"`
	Parameters int64    `json:"parameters"` // of all models of an ensemble
	Weights    string   `json:"weights"`
	Models     int      `json:"models"`
	Alignments bool     `json:"alignments"`
	Examples   []string `json:"examples,omitempty"`
}

type limitsInfo struct {
	Beam       int   `json:"beam"`
	Texts      int   `json:"texts"`
	Characters int   `json:"characters"`
	Words      int   `json:"words"`
	Body       int64 `json:"body"`
	Key        bool  `json:"key"` // requests need an API key
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) error {
	o := s.options
	list := modelList{
		Default: s.models[0].Name, Beam: o.Decoding.Beam,
		Limits: limitsInfo{o.MaxBeam, o.MaxTexts, o.MaxCharacters, o.MaxWords, o.MaxBody, o.Keys != nil},
	}
	for _, t := range s.current() {
		list.Models = append(list.Models, t.info())
	}
	if len(list.Models) < len(s.models) {
		return decode.ErrClosed
	}
	return writeJSON(w, http.StatusOK, list)
}

func (t *translator) info() modelInfo {
	i := modelInfo{
		Name: t.name, Source: t.source, Target: t.target, Kind: string(t.first().Config.Kind),
		Weights: "float32", Models: len(t.models), Alignments: slices.ContainsFunc(t.models, (*model.Model).HasAlignments),
		Examples: t.served.Examples,
	}
	for _, m := range t.models {
		i.Parameters += m.Config.NumParameters()
		if m.Config.Weights == model.Int8 {
			i.Weights = "int8"
		}
	}
	return i
}

// A query is what all requests for translations have in common.
type query struct {
	Model  string `json:"model"`
	Text   texts  `json:"text"`
	Prefix list   `json:"prefix"` // tokens that translations begin with
	Append string `json:"append"` // text that follows the prefix

	CopyUnknown bool `json:"copy_unknown"` // source words in place of unknown words of translations
}

// A job is what a query asks of a translator.
type job struct {
	*translator
	list  []sentence
	split *division // nil for texts that are sentences
}

// begin returns the job of a query, whose translator the caller must release. nBest is the number of
// translations of each sentence, for which it takes memory.
func (s *Server) begin(w http.ResponseWriter, q query, terms terms, split bool, nBest int, aligned bool) (j job, err error) {
	if err := s.checkTexts(q.Text, nBest); err != nil {
		return j, err
	}
	if n := utf8.RuneCountInString(q.Append); n > s.options.MaxCharacters {
		return j, failf(http.StatusBadRequest, "append has %d characters, expected at most %d", n, s.options.MaxCharacters)
	}
	if j.translator, err = s.find(w, q.Model); err != nil {
		return j, err
	}
	defer func() {
		if err != nil {
			j.release()
		}
	}()
	lines := []string(q.Text.list)
	if split {
		if j.split, err = s.divide(w, j.translator, lines); err != nil {
			return j, err
		}
		lines = j.split.sentences()
	}
	prefix, err := j.prefix(q, lines, split)
	if err != nil {
		return j, err
	}
	if j.list, err = j.sentences(lines, prefix, s.options.MaxWords); err != nil {
		return j, err
	}
	if split {
		for i, p := range j.split.places {
			j.list[i].at = p
		}
	}
	for i := range j.list {
		j.list[i].copyUnknown = j.list[i].copyUnknown || q.CopyUnknown
	}
	if err := s.addTerms(j, terms); err != nil {
		return j, err
	}
	return j, s.allot(w, j.list, nBest, aligned)
}

// prefix returns what the translation of the only line begins with.
func (t *translator) prefix(q query, lines []string, isSplit bool) ([]int32, error) {
	m := t.first()
	unwritable := func(word string) bool { return m.Target.ID(word) == text.UNK && word != m.Target.Word(text.UNK) }
	var kept pipeline.Kept
	if len(lines) > 0 {
		kept = m.SourceText.Kept(lines[0])
	}
	split := func(line string) []string { return m.TargetText.WordsOf(line, kept) }
	words := append(q.Prefix, split(q.Append)...)
	if i := slices.IndexFunc(words, unwritable); i >= 0 {
		typed := words[i] // or the word of the text that it is part of
		for _, field := range strings.Fields(q.Append) {
			if i >= len(q.Prefix) && slices.ContainsFunc(split(field), unwritable) {
				typed = field
				break
			}
		}
		return nil, failf(http.StatusBadRequest, "this model cannot write %.120q", given(typed))
	}
	if len(words) > 0 {
		if err := single("prefix for", len(lines), isSplit); err != nil {
			return nil, err
		}
	}
	return m.Target.Encode(words)[:len(words)], nil
}

type translateRequest struct {
	query
	Beam       count `json:"beam"`
	NBest      count `json:"nbest"`
	Alignments bool  `json:"alignments"`
	Tree       bool  `json:"tree"`
	Terms      terms `json:"terms"` // that translations must have
	Split      bool  `json:"split"` // translate the sentences of each line
}

type translateAnswer struct {
	Model        string       `json:"model"`
	Translations []translated `json:"translations"`    // one for each text or, with split, sentence, in order
	Texts        []string     `json:"texts,omitempty"` // whole translations, with split
}

// translated is a sentence and its translations, the best first.
type translated struct {
	place
	Source side          `json:"source"`
	Best   []translation `json:"best"`
	Tree   []node        `json:"tree,omitempty"`
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
	beam, nBest, err := s.width(q.Beam, q.NBest)
	if err != nil {
		return err
	}
	width := nBest
	if q.Tree {
		width += beam
	}
	j, err := s.begin(w, q.query, q.Terms, q.Split, width, q.Alignments)
	if err != nil {
		return err
	}
	defer j.release()
	best, tree := [][]decode.Translation{nil}, []decode.Node(nil)
	if q.Tree {
		if err := single("tree for", len(j.list), q.Split); err != nil {
			return err
		}
		search := j.list[0].decoding(beam, nBest)
		if best[0], tree, err = j.Search(r.Context(), search); err == nil {
			s.metrics.translated(j.list[0], best[0][0])
		}
	} else {
		best, err = s.search(r.Context(), j.translator, j.list, beam, nBest)
	}
	if err != nil {
		return err
	}
	a := translateAnswer{Model: j.name, Translations: make([]translated, len(j.list))}
	texts := make([]string, len(j.list))
	for i, sentence := range j.list {
		a.Translations[i] = translated{place: sentence.at, Source: sentence.Side(), Tree: j.nodes(tree)}
		for _, b := range best[i] {
			a.Translations[i].Best = append(a.Translations[i].Best, sentence.translation(b, q.Alignments))
		}
		texts[i] = a.Translations[i].Best[0].Text
	}
	if q.Split {
		a.Texts = j.split.with(texts)
	}
	return writeJSON(w, http.StatusOK, a)
}

// width returns the beam and the number of translations for those that a request asks for, where 0
// stands for the default.
func (s *Server) width(beam, nBest count) (int, int, error) {
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
		return max(s.options.Decoding.Beam, int(nBest)), int(nBest), nil
	}
	if nBest > beam {
		return 0, 0, failf(http.StatusBadRequest, "nbest of %d, expected at most the beam of %d", nBest, beam)
	}
	return int(beam), int(nBest), nil
}

func (t *translator) nodes(tree []decode.Node) []node {
	list := make([]node, len(tree))
	for i, n := range tree {
		list[i] = node{
			ID: i, Parent: int(n.Parent), Token: t.first().Target.Word(n.ID),
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
	n, _, err := s.width(q.N, 0)
	if err != nil {
		return err
	}
	j, err := s.begin(w, q.query, nil, false, n, false)
	if err != nil {
		return err
	}
	defer j.release()
	if err := single("alternatives for", len(j.list), false); err != nil {
		return err
	}
	t, sentence := j.translator, j.list[0]
	candidates, err := t.Next(r.Context(), sentence.IDs, sentence.prefix, n)
	if err != nil {
		return err
	}
	answer := alternativesAnswer{make([]alternative, len(candidates))}
	var continued []int // alternatives that are not EOS
	list := j.list[:0]
	for i, c := range candidates {
		answer.Alternatives[i] = alternative{Token: t.first().Target.Word(c.ID), LogProb: c.LogProb}
		if c.ID == text.EOS {
			answer.Alternatives[i].Text = sentence.show(decode.Translation{IDs: sentence.prefix})
			continue
		}
		next := sentence
		next.prefix = append(sentence.prefix[:len(sentence.prefix):len(sentence.prefix)], c.ID)
		list, continued = append(list, next), append(continued, i)
	}
	best, err := s.search(r.Context(), t, list, 1, 1)
	if err != nil {
		return err
	}
	for k, i := range continued {
		whole := sentence.translation(best[k][0], false)
		answer.Alternatives[i].Word = wordAt(whole.Target, len(sentence.prefix))
		answer.Alternatives[i].Text = whole.Text
	}
	return writeJSON(w, http.StatusOK, answer)
}

type tokenEvent struct {
	Token     token     `json:"token"`
	Text      string    `json:"text"`                // so far
	Alignment []float32 `json:"alignment,omitempty"` // α of each source token
}

type streamRequest struct {
	query
	Split bool `json:"split"` // translate the sentences of each line, one after the other
}

type endEvent struct {
	Texts []string `json:"texts"` // whole translations
}

// stream answers POST /v1/stream: greedy searches, token by token.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, body []byte) error {
	var q streamRequest
	if err := unmarshal(body, &q, true); err != nil {
		return err
	}
	j, err := s.begin(w, q.query, nil, q.Split, 1, true)
	if err != nil {
		return err
	}
	defer j.release()
	if !q.Split {
		if err := single("stream of", len(j.list), false); err != nil {
			return err
		}
	}
	e := events{w: w}
	texts := make([]string, len(j.list))
	for i, sentence := range j.list {
		if texts[i], err = s.streamSentence(r.Context(), &e, sentence); err != nil {
			return err
		}
	}
	if q.Split {
		e.send("end", endEvent{j.split.with(texts)})
	}
	return e.err
}

// streamSentence sends the events of one sentence, and returns its translation. Tokens have loops whole,
// texts do not.
func (s *Server) streamSentence(ctx context.Context, e *events, sentence sentence) (string, error) {
	var partial decode.Translation
	search := sentence.decoding(1, 1)
	for word, err := range sentence.StreamWords(ctx, search) {
		if err != nil && !e.begun {
			return "", err
		}
		if err != nil {
			e.send("error", errorBody{err.Error()})
			return "", err
		}
		if partial.IDs == nil {
			if sentence.at.Text != nil {
				e.send("sentence", sentence.at)
			}
			e.send("source", sentence.Side())
		}
		partial = word.SoFar
		e.send("token", tokenEvent{api.TargetToken(sentence.first().Target, word.ID, word.LogProb), sentence.show(partial), word.Alignment})
		if e.err != nil {
			return "", e.err
		}
	}
	s.metrics.translated(sentence, partial)
	done := sentence.translation(partial, true)
	e.send("done", done)
	return done.Text, e.err
}

// events writes server-sent events, until there is an error.
type events struct {
	w     http.ResponseWriter
	begun bool
	err   error
}

func (e *events) send(name string, v any) {
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("Cache-Control", "no-store")
		e.w.Header().Set("X-Accel-Buffering", "no") // proxies like nginx pass events on at once
	}
	var data []byte
	if e.err == nil {
		data, e.err = json.Marshal(v)
	}
	for _, part := range [][]byte{[]byte("event: " + name + "\ndata: "), data, []byte("\n\n")} { // not as one: data may be long
		if e.err == nil {
			_, e.err = e.w.Write(part)
		}
	}
	if c := http.NewResponseController(e.w); e.err == nil {
		e.err = c.Flush()
		c.SetWriteDeadline(time.Time{}) // an expired one ends an HTTP/2 stream, even between events
	}
}
