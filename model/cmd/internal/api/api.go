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
	Kept      *bool       `json:"kept,omitempty"`   // false if the text lacks a number, code or another span of the source
	Unsure    bool        `json:"unsure,omitempty"` // likely a bad one
	Target    Side        `json:"target"`
	Alignment [][]float32 `json:"alignment,omitempty"` // α, a row for each target token, of all source tokens
}

// A Sentence is a line as a model reads it.
type Sentence struct {
	Search decode.Sentence // for its translations; its ids end with EOS
	Model  *model.Model
	pipeline.Reading
}

// Of returns what m reads as a sentence.
func Of(m *model.Model, r pipeline.Reading) Sentence {
	return Sentence{decode.Sentence{Source: m.EncodeWords(r.Words)}, m, r}
}

// Other returns the language of a sentence that is not in the one that the model reads.
func (s Sentence) Other() string {
	if language := s.Model.Language(s.Reading); language != s.Model.SourceText.Language() {
		return language
	}
	return ""
}

// Side returns the source for display.
func (s Sentence) Side() Side {
	tokens := make([]Token, len(s.Search.Source))
	for i, id := range s.Search.Source {
		tokens[i] = Token{Token: s.Model.Source.Word(id)}
		if id == text.UNK {
			tokens[i] = Token{Token: s.Words[i], Unknown: true}
		}
	}
	return Side{tokens, WordsOf(s.Tokens)}
}

// Written returns a translation of s as text, with <unk> replaced if that is wanted.
func (s Sentence) Written(r decode.Translation, replaced bool) pipeline.Writing {
	if replaced {
		return s.Model.TargetText.Write(r.ReplaceUNK(s.Model.Target, s.Words), s.Reading)
	}
	return s.Model.TargetText.Write(s.Model.Target.Decode(r.IDs), s.Reading)
}

// Translation returns a translation of s, with <unk> replaced and with its alignment if that is wanted.
func (s Sentence) Translation(r decode.Translation, replaced, aligned bool) Translation {
	w := s.Written(r, replaced)
	a := Translation{
		Text: w.Line, LogProb: r.LogProb, Score: r.Score, Looped: r.Trimmed, Unsure: r.Unsure,
		Target: Side{make([]Token, len(r.IDs)), WordsOf(w.Tokens)},
	}
	if w.Lost > 0 {
		a.Kept = new(false)
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
func WordsOf(tokens []pipeline.Token) []Word {
	list := make([]Word, len(tokens))
	for i, s := range tokens {
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
