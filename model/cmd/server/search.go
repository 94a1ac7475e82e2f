package server

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A request is what a client wants to have translated, whatever the interface that it came by.
type request struct {
	model       string // empty for the default
	texts       []string
	format      string // of texts of several sentences, one of markup.Formats, or empty
	byLine      bool   // one line after the other is divided,
	joined      bool   // or one paragraph
	prefix      []string
	append      string // text that follows the prefix
	terms       terms
	copyUnknown bool // source words in place of unknown words of translations

	single      string // what only one sentence can have, such as "tree for"; empty for any number
	beam, nBest int    // of each sentence
	tree        bool
	aligned     bool // the answer needs alignments
}

// A job is a request at the translator of its model.
type job struct {
	*translator
	request
	passages  []passage // none for texts that are sentences
	sentences []sentence
	spelled   bool // a passage writes characters in another way
}

// A passage is a text, or a line of one, that is divided into sentences.
type passage struct {
	*markup.Document
	text, line int // from 0
}

// A sentence of a job has its translations after the search, the best first.
type sentence struct {
	api.Sentence
	at          place
	copyUnknown bool
	best        []decode.Translation
	tree        []decode.Node
}

// A place is where a sentence stands in texts of several.
type place struct {
	Text     *int   `json:"text,omitempty"`     // index of the text
	Line     *int   `json:"line,omitempty"`     // of the text, from 0
	Sentence string `json:"sentence,omitempty"` // as it stands there
}

// search translates all sentences of a request. If one fails, the search for the others ends.
func (s *Server) search(ctx context.Context, w http.ResponseWriter, q request) (*job, error) {
	j, err := s.open(w, q)
	if err != nil {
		return nil, err
	}
	defer j.release()
	return j, s.each(ctx, j.sentences, j)
}

// each sets the translations of sentences.
func (s *Server) each(ctx context.Context, list []sentence, j *job) (err error) {
	if j.tree {
		list[0].best, list[0].tree, err = j.Search(ctx, list[0].Search)
	} else {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		searches := make([]decode.Sentence, len(list))
		for i, one := range list {
			searches[i] = one.Search
		}
		j.Each(ctx, searches, func(i int, best []decode.Translation, failure error) {
			if list[i].best = best; failure != nil && err == nil {
				err = failure
				cancel()
			}
		})
	}
	if err == nil {
		for _, one := range list {
			s.metrics.translated(j.name, one, one.best[0])
		}
	}
	return err
}

// open returns the job of a request, with the memory of its answer. The caller must release its translator.
func (s *Server) open(w http.ResponseWriter, q request) (*job, error) {
	t, err := s.find(w, q.model)
	if err != nil {
		return nil, err
	}
	j := &job{translator: t, request: q}
	if err = s.read(w, j); err != nil {
		t.release()
		return nil, err
	}
	return j, nil
}

// read reads the sentences of a job within the limits, and ends the turn of its client.
func (s *Server) read(w http.ResponseWriter, j *job) error {
	r := w.(*recorder)
	defer r.read()
	lines := j.texts
	if j.format != "" {
		if err := r.memory.add(j.divisionBytes()); err != nil {
			return err
		}
		var err error
		if lines, err = j.divided(); err != nil {
			return failf(http.StatusBadRequest, "%s", userInput(err.Error()))
		}
	}
	unit := "text"
	if j.byLine {
		if unit = "sentence"; len(lines) > s.options.MaxTexts {
			return failf(http.StatusBadRequest, "request of %d sentences, expected at most %d", len(lines), s.options.MaxTexts)
		}
	}
	terms, err := j.allTerms()
	if err != nil {
		return err
	}
	prefix, err := j.prefixIDs(lines, terms)
	if err != nil {
		return err
	}
	what := j.single
	if len(prefix) > 0 {
		what = "prefix for"
	}
	if what != "" && len(lines) != 1 {
		return failf(http.StatusBadRequest, "%s %d %ss, expected one %s", what, len(lines), unit, unit)
	}
	if j.sentences == nil {
		j.sentences = make([]sentence, len(lines))
	}
	var bytes int64
	for i, line := range lines {
		if i%16 == 15 {
			runtime.Gosched() // workers wait for a processor when they pause
		}
		one := &j.sentences[i]
		one.Sentence, one.copyUnknown = api.Of(j.first(), j.first().SourceText.Read(line, terms)), j.copyUnknown || j.served.decoding.ReplaceUNK
		one.Search.Prefix, one.Search.Beam, one.Search.NBest = prefix, j.beam, j.nBest
		if n := max(len(one.Words), len(prefix)); n > s.options.MaxWords {
			return failf(http.StatusBadRequest, "sentence %d has %d words or segments of words, expected at most %d", i+1, n, s.options.MaxWords)
		}
		bytes += j.answerBytes(*one)
	}
	return r.memory.add(bytes)
}

// allTerms returns the terms of the request and, for other words, of the server.
func (j *job) allTerms() (*pipeline.Terms, error) {
	list := []pipeline.Term(slices.Clone(j.terms))
	for _, term := range j.served.decoding.Terms {
		if !slices.ContainsFunc(j.terms, func(t pipeline.Term) bool { return t.Source == term.Source }) {
			list = append(list, term)
		}
	}
	return j.first().SourceText.NewTerms(list)
}

// divided divides the texts and returns their sentences.
func (j *job) divided() (lines []string, err error) {
	for i, whole := range j.texts {
		parts := []string{whole}
		if j.byLine {
			parts = slices.Collect(strings.Lines(whole))
		}
		code := make([]bool, len(parts))
		if j.joined {
			parts, code = joinLines(parts)
		}
		for line, part := range parts {
			p := passage{markup.Raw(part), i, line}
			if !code[line] {
				p.Document, err = markup.Whole(j.format, part, j.first().SourceText, j.first().TargetText.Language())
				if err != nil {
					return nil, err
				}
			}
			j.passages, j.spelled = append(j.passages, p), j.spelled || p.Spelled
			for _, one := range p.Sentences() {
				lines = append(lines, one)
				if j.byLine {
					j.sentences = append(j.sentences, sentence{at: place{&p.text, &p.line, one}})
				}
			}
		}
	}
	return lines, nil
}

// joinLines returns the paragraphs of lines that are not empty, and whether they are code.
func joinLines(lines []string) (paragraphs []string, code []bool) {
	var j text.Joiner
	for _, line := range append(lines, "") {
		if !j.Add(line) {
			paragraphs, code = append(paragraphs, j.Take()), append(code, j.Code)
			j.Add(line)
		}
	}
	return paragraphs, code
}

// prefixIDs returns what the translation of the only line begins with.
func (j *job) prefixIDs(lines []string, terms *pipeline.Terms) ([]int32, error) {
	m := j.first()
	unwritable := func(word string) bool { return m.Target.ID(word) == text.UNK && word != m.Target.Word(text.UNK) }
	var of pipeline.Reading
	if len(lines) > 0 && len(j.prefix)+len(j.append) > 0 {
		of = m.SourceText.Read(lines[0], terms)
	}
	split := func(line string) []string { return m.TargetText.ReadTranslation(line, of).Words }
	words := append(slices.Clone(j.prefix), split(j.append)...)
	if i := slices.IndexFunc(words, unwritable); i >= 0 {
		typed := words[i] // or the word of the text that it is part of
		for _, field := range strings.Fields(j.append) {
			if i >= len(j.prefix) && slices.ContainsFunc(split(field), unwritable) {
				typed = field
				break
			}
		}
		return nil, failf(http.StatusBadRequest, "this model cannot write %.120q", userInput(typed))
	}
	return m.Target.Encode(words)[:len(words)], nil
}

// whole returns the texts with the translations of that rank, or the last ones of sentences that have fewer, and what
// stands around the sentences as it was.
func (j *job) whole(rank int) []string {
	list := j.sentences
	return j.with(func(i int) markup.Translation {
		return markup.Of(list[i].Sentence, list[i].best[min(rank, len(list[i].best)-1)], list[i].copyUnknown)
	})
}

// with returns the texts with a translation of each sentence.
func (j *job) with(translation func(i int) markup.Translation) []string {
	builders, n := make([]strings.Builder, len(j.texts)), 0
	for _, p := range j.passages {
		builders[p.text].WriteString(p.With(func(i int) markup.Translation { return translation(n + i) }))
		n += len(p.Sentences())
	}
	list := make([]string, len(j.texts))
	for i := range list {
		list[i] = builders[i].String()
	}
	return list
}

// checkTexts returns an error unless there are texts and n translations of each are within the
// limits.
func (s *Server) checkTexts(t texts, n int) error {
	switch {
	case len(t.list) == 0:
		return failf(http.StatusBadRequest, "missing text")
	case len(t.list) > s.options.MaxTexts:
		return failf(http.StatusBadRequest, "request of %d texts, expected at most %d", len(t.list), s.options.MaxTexts)
	}
	return s.checkCharacters(t.list, n)
}

func (s *Server) checkCharacters(texts []string, n int) error {
	if sum := characters(texts); sum > s.options.MaxCharacters/n {
		return failf(http.StatusBadRequest, "request of %d characters, expected at most %d for %d translations", sum, s.options.MaxCharacters/n, n)
	}
	return nil
}

func characters(texts []string) (n int) {
	for _, text := range texts {
		n += utf8.RuneCountInString(text)
	}
	return n
}

// translation returns a translation of s for an answer in JSON.
func (s sentence) translation(r decode.Translation, aligned bool) api.Translation {
	return s.Translation(r, s.copyUnknown, aligned)
}

// show returns a translation as text.
func (s sentence) show(r decode.Translation) string {
	return s.Written(r, s.copyUnknown).Line
}
