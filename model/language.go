package model

import (
	"math/big"
	"strings"
	"sync"
	"unicode"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Language returns the language of a reading, as far as the model can tell: TargetText's if the line is a hundred
// times as probable there, "und" of ISO 639 for another foreign line, and otherwise SourceText's.
func (m *Model) Language(r pipeline.Reading) string {
	const enough, more = 3, 100
	if m.SourceText.Language() != m.TargetText.Language() && m.Source != nil && m.Target != nil {
		source, n := NewUnigrams(m.SourceText, m.Source).Likelihood(r.Line)
		target, k := NewUnigrams(m.TargetText, m.Target).Likelihood(r.Line)
		if min(n, k) >= enough && target.Cmp(source.Mul(source, big.NewFloat(more))) > 0 {
			return m.TargetText.Language()
		}
	}
	if r.Foreign {
		return "und"
	}
	return m.SourceText.Language()
}

// Unigrams know how probable text is in a language, from one side of a model: the frequency of the words of a vocabulary
// falls with their rank (Zipf's law).
type Unigrams struct {
	pipeline   pipeline.Pipeline
	vocabulary *text.Vocabulary
	all        float64 // weights of all words
}

// NewUnigrams returns the unigrams of a side. It panics if v is nil.
func NewUnigrams(p pipeline.Pipeline, v *text.Vocabulary) Unigrams {
	if v == nil {
		panic("model: NewUnigrams: nil vocabulary")
	}
	return Unigrams{p, v, totalOf(v.Size())}
}

// totals has the weights of all words of vocabularies, by size: Language asks for them at each sentence.
var totals sync.Map

func totalOf(size int) float64 {
	if total, ok := totals.Load(size); ok {
		return total.(float64)
	}
	total := 0.0
	for id := range size {
		total += weightOf(int32(id))
	}
	totals.Store(size, total)
	return total
}

func weightOf(id int32) float64 { return 1 / (float64(id) + 10) }

// Likelihood returns the probability of a line, and the number of its words that count: the words of
// [pipeline.Pipeline.Prose] with letters, none for the zero Unigrams. A product has the same bits on every machine; a sum
// of logarithms has not.
func (u Unigrams) Likelihood(line string) (likelihood *big.Float, words int) {
	likelihood = big.NewFloat(1)
	if u.vocabulary == nil {
		return likelihood, 0
	}
	for _, word := range u.pipeline.Prose(line) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			id := u.vocabulary.ID(word)
			if id == text.UNK {
				id = int32(u.vocabulary.Size())
			}
			likelihood.Mul(likelihood, big.NewFloat(weightOf(id)/u.all))
			words++
		}
	}
	return likelihood, words
}
