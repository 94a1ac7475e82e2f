// Package api is the JSON that translations become: a [Side] for the source, and for each [Translation].
// The server's /v1 and translate --json answer with it.
package api

import (
	"encoding/json"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A Token is an entry of a vocabulary. A source token outside the vocabulary is the word itself.
type Token struct {
	Token   string   `json:"token"`
	Unknown bool     `json:"unknown,omitempty"` // read or predicted as <unk>
	LogProb *float64 `json:"logprob,omitempty"` // given the tokens before; of target tokens only
}

// TargetToken returns the token of an id that a model has predicted.
func TargetToken(v *text.Vocabulary, id int32, logProb float64) Token {
	return Token{Token: v.Word(id), Unknown: id == text.UNK, LogProb: &logProb}
}

// A Word is a group of tokens for display.
type Word struct {
	Text   string `json:"text"`
	Tokens [2]int `json:"tokens"` // of the first, and after the last
}

// A Side is a sentence of one language. EOS is the last token, if there is one, and part of no word.
type Side struct {
	Tokens []Token `json:"tokens"`
	Words  []Word  `json:"words"`
}

// A Translation is one of the translations of a sentence.
type Translation struct {
	Text      string      `json:"text"`
	LogProb   float64     `json:"logprob"`
	Score     float64     `json:"score"`
	Looped    bool        `json:"looped,omitempty"` // repetitions were left out
	Target    Side        `json:"target"`
	Alignment [][]float32 `json:"alignment,omitempty"` // α, a row for each target token, of all source tokens
}

// A Sentence is a line as a model reads it.
type Sentence struct {
	Search decode.Sentence // for its translations; its ids end with EOS
	Model  *model.Model
	Text   string // the line
	Kept   pipeline.Kept
	Words  []string // without EOS
}

// Read returns a line as m reads it, the first model of t, with the terms of t.
func Read(t *decode.Translator, m *model.Model, line string) Sentence {
	kept := m.SourceText.Kept(line)
	words := m.SourceText.WordsOf(line, kept)
	return Sentence{decode.Sentence{Source: m.EncodeWords(words), Terms: t.Terms(line)}, m, line, kept, words}
}

// Side returns the source for display.
func (s Sentence) Side() Side {
	tokens := make([]Token, len(s.Search.Source))
	for i, id := range s.Search.Source {
		tokens[i] = Token{Token: s.Model.Source.Word(id)}
		if id == text.UNK {
			tokens[i] = Token{Token: s.Model.SourceText.Restore(s.Words[i], s.Kept), Unknown: true}
		}
	}
	return Side{tokens, WordsOf(s.Model.SourceText.Spans(s.Text, s.Words, s.Kept))}
}

// Written returns a translation of s as text, and the words that it is made of, with <unk> replaced if that is wanted.
func (s Sentence) Written(r decode.Translation, replaced bool) (line string, words []string) {
	p := s.Model.TargetText
	if replaced {
		words = r.ReplaceUNK(s.Model.Target, s.Words)
	} else {
		words = s.Model.Target.Decode(r.IDs)
	}
	return p.LineOf(words, s.Kept), words
}

// Translation returns a translation of s, with <unk> replaced and with its alignment if that is wanted.
func (s Sentence) Translation(r decode.Translation, replaced, aligned bool) Translation {
	line, words := s.Written(r, replaced)
	a := Translation{
		Text: line, LogProb: r.LogProb, Score: r.Score, Looped: r.Trimmed,
		Target: Side{make([]Token, len(r.IDs)), WordsOf(s.Model.TargetText.Spans(line, words, s.Kept))},
	}
	for i, id := range r.IDs {
		a.Target.Tokens[i] = TargetToken(s.Model.Target, id, r.LogProbs[i])
	}
	if aligned && r.Alignment.Rows > 0 {
		for i := range r.IDs {
			a.Alignment = append(a.Alignment, r.Alignment.Row(i))
		}
	}
	return a
}

// WordsOf returns tokens of text as words for display.
func WordsOf(spans []pipeline.Span) []Word {
	list := make([]Word, len(spans))
	for i, s := range spans {
		list[i] = Word{s.Text, s.Words}
	}
	return list
}

// Line returns v in JSON, as a line. It panics if v cannot be in JSON.
func Line(v any) string {
	var line strings.Builder
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return line.String()
}
