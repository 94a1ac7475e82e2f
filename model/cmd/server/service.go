package server

import (
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/decode"
)

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

// A sentence is a text as a model reads it.
type sentence struct {
	*translator
	api.Source
	prefix []int32 // that translations begin with
	terms  []decode.Constraint
	at     place

	copyUnknown bool // in place of unknown words of translations
}

// sentences returns the sentences of lines, whose translations begin with a prefix. It fails if a
// sentence or the prefix has more than maxWords words.
func (t *translator) sentences(lines []string, prefix []int32, maxWords int) ([]sentence, error) {
	list := make([]sentence, len(lines))
	for i, line := range lines {
		source := api.NewSource(t.first(), line)
		if n := max(len(source.Words), len(prefix)); n > maxWords {
			return nil, failf(http.StatusBadRequest, "sentence %d has %d words or segments of words, expected at most %d", i+1, n, maxWords)
		}
		list[i] = sentence{t, source, prefix, t.Terms(line), place{}, t.served.decoding.ReplaceUNK}
	}
	return list, nil
}

// addTerms adds the terms of a request to its sentences.
func (s *Server) addTerms(j job, terms terms) error {
	characters := 0
	for _, term := range terms {
		characters += utf8.RuneCountInString(term.Source) + utf8.RuneCountInString(term.Target)
	}
	if characters > s.options.MaxCharacters {
		return failf(http.StatusBadRequest, "terms of %d characters, expected at most %d", characters, s.options.MaxCharacters)
	}
	g, err := decode.NewGlossary(j.first(), terms)
	for i := range j.list {
		if err == nil {
			j.list[i].terms = append(j.list[i].terms, g.Find(j.list[i].Text)...)
		}
	}
	return err
}

func (s sentence) decoding(beam, nBest int) decode.Sentence {
	return decode.Sentence{Source: s.IDs, Prefix: s.prefix, Beam: beam, NBest: nBest, Terms: s.terms}
}

// search returns the translations of each sentence, without loops, the best first. If a sentence fails, the search
// for the others ends.
func (s *Server) search(ctx context.Context, t *translator, list []sentence, beam, nBest int) ([][]decode.Translation, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	searches, best := make([]decode.Sentence, len(list)), make([][]decode.Translation, len(list))
	for i, sentence := range list {
		searches[i] = sentence.decoding(beam, nBest)
	}
	others, keys := s.answers.recall(t, searches, best)
	for i, other := range others {
		searches[i] = searches[other]
	}
	var first error
	t.Each(ctx, searches[:len(others)], func(i int, b []decode.Translation, err error) {
		best[others[i]] = b
		switch {
		case err == nil:
			s.answers.remember(keys, others[i], b)
		case first == nil:
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
	if s.options.CacheAnswers > 0 {
		s.metrics.recalled(t.name, len(list)-len(others), len(others))
	}
	return best, nil
}

// Parts of answers, see package api.
type (
	token       = api.Token
	word        = api.Word
	side        = api.Side
	translation = api.Translation
)

// wordAt returns the text of the word of s that a token is part of, empty for EOS.
func wordAt(s side, token int) string {
	for _, w := range s.Words {
		if w.Tokens[0] <= token && token < w.Tokens[1] {
			return w.Text
		}
	}
	return ""
}

// translation returns a translation of s, with its alignment if that is wanted.
func (s sentence) translation(r decode.Translation, aligned bool) translation {
	return s.Translation(r, s.copyUnknown, aligned)
}

// show returns a translation as text.
func (s sentence) show(r decode.Translation) string {
	line, _ := s.Written(r, s.copyUnknown)
	return line
}

// placed returns a translation of s with the places of its tokens.
func (s sentence) placed(r decode.Translation) markup.Translation {
	text, words := s.Written(r, s.copyUnknown)
	return markup.Translation{
		Text: text, Source: s.Model.SourceText.Spans(s.Text, s.Words, s.Kept),
		Target: s.Model.TargetText.Spans(text, words, s.Kept), Alignment: r.Alignment,
	}
}
