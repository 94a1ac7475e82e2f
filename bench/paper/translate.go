package main

import (
	"context"
	"html"
	"iter"
	"slices"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

const beam = 10 // of the authors' program

// A translation is the words of one and where the model looked for each, the ends of both
// sentences included.
type translation struct {
	words     []string
	alignment figure.Alignment // RNNencdec has no weights
}

// translate translates sentences. Where unknown words are forbidden, no translation has one.
func translate(ctx context.Context, m *model.Model, sources iter.Seq[[]string], forbidUNK bool) ([]translation, error) {
	t, err := decode.New(m, decode.Options{Beam: beam, ForbidUNK: forbidUNK})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	var words [][]string
	var sentences []decode.Sentence
	for source := range sources {
		words, sentences = append(words, source), append(sentences, decode.Sentence{Source: m.Source.Encode(source)})
	}
	list := make([]translation, len(words))
	t.Each(ctx, sentences, func(i int, best []decode.Translation, e error) {
		if e != nil {
			err = e
			return
		}
		list[i] = newTranslation(m, words[i], best[0])
	})
	return list, err
}

// newTranslation returns a translation with its words.
func newTranslation(m *model.Model, source []string, t decode.Translation) translation {
	const end = "</s>"
	a := figure.Alignment{Source: append(slices.Clone(source), end), Weights: t.Alignment}
	for _, id := range t.IDs {
		a.Target = append(a.Target, html.UnescapeString(m.Target.Word(id))) // as Moses escapes tokens
	}
	return translation{m.Target.Decode(t.IDs), a}
}

// known returns the pairs whose words all models know.
func known(pairs []text.Pair, models []*model.Model) []text.Pair {
	var list []text.Pair
	for _, p := range pairs {
		unknown := slices.ContainsFunc(models, func(m *model.Model) bool {
			return slices.Contains(m.Source.Encode(p.Source), text.UNK) || slices.Contains(m.Target.Encode(p.Target), text.UNK)
		})
		if !unknown {
			list = append(list, p)
		}
	}
	return list
}
