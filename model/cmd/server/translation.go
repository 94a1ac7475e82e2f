package server

import (
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A token is an entry of a vocabulary. A source token outside the vocabulary is the word itself.
type token struct {
	Token   string   `json:"token"`
	Unknown bool     `json:"unknown,omitempty"` // read or predicted as <unk>
	LogProb *float64 `json:"logprob,omitempty"` // given the tokens before; of target tokens only
}

// A word is a group of tokens for display.
type word struct {
	Text   string `json:"text"`
	Tokens [2]int `json:"tokens"` // of the first, and after the last
}

// A side is a sentence of one language. EOS is the last token, if there is one, and part of no word.
type side struct {
	Tokens []token `json:"tokens"`
	Words  []word  `json:"words"`
}

type translation struct {
	Text      string      `json:"text"`
	LogProb   float64     `json:"logprob"`
	Score     float64     `json:"score"`
	Target    side        `json:"target"`
	Alignment [][]float32 `json:"alignment,omitempty"` // α, a row for each target token, of all source tokens
}

// wordAt returns the text of the word that a token is part of, empty for EOS.
func (s side) wordAt(token int) string {
	for _, w := range s.Words {
		if w.Tokens[0] <= token && token < w.Tokens[1] {
			return w.Text
		}
	}
	return ""
}

func (s sentence) side() side {
	m := s.first()
	tokens := make([]token, len(s.ids))
	for i, id := range s.ids {
		tokens[i] = token{Token: m.Source.Word(id)}
		if id == text.UNK {
			tokens[i] = token{Token: s.words[i], Unknown: true}
		}
	}
	return side{tokens, groups(m.SourceText, s.words)}
}

// translation returns a translation of s, with its alignment if that is wanted.
func (s sentence) translation(r decode.Translation, aligned bool) translation {
	v := s.first().Target
	t := translation{
		Text: s.Text(s.text, r), LogProb: r.LogProb, Score: r.Score,
		Target: side{make([]token, len(r.IDs)), groups(s.first().TargetText, s.targetWords(r))},
	}
	for i, id := range r.IDs {
		t.Target.Tokens[i] = targetToken(v, id, r.LogProbs[i])
	}
	if aligned && r.Alignment.Rows > 0 {
		for i := range r.IDs {
			t.Alignment = append(t.Alignment, r.Alignment.Row(i))
		}
	}
	return t
}

// targetWords returns the words that the text of a translation is made of.
func (s sentence) targetWords(r decode.Translation) []string {
	if s.served.decoding.ReplaceUNK {
		return r.ReplaceUNK(s.first().Target, s.words)
	}
	return s.first().Target.Decode(r.IDs)
}

func targetToken(v *text.Vocabulary, id int32, logProb float64) token {
	return token{Token: v.Word(id), Unknown: id == text.UNK, LogProb: &logProb}
}

// groups returns the words whose segments are the tokens.
func groups(p pipeline.Pipeline, tokens []string) []word {
	list := []word{}
	for from := 0; from < len(tokens); {
		to := from + 1
		for to < len(tokens) && len(p.Join([]string{tokens[to-1], "."})) == 1 { // the token before is not the last of its word
			to++
		}
		if joined := p.Join(tokens[from:to]); len(joined) > 0 {
			list = append(list, word{joined[0], [2]int{from, to}})
		}
		from = to
	}
	return list
}
