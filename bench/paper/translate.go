package main

import (
	"context"
	"html"
	"iter"
	"runtime"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

const (
	beam      = 10 // of the authors' program
	together  = 8  // sentences of a batch
	expansion = 3  // words of a translation for each of its source, at most
)

// A translation is the words of one and where the model looked for each, the ends of both
// sentences included.
type translation struct {
	words     []string
	alignment figure.Alignment // RNNencdec has no weights
}

// translate translates sentences. Where unknown words are forbidden, no translation has one.
func translate(ctx context.Context, m *model.Model, sources iter.Seq[[]string], forbidUNK bool) ([]translation, error) {
	words := slices.Collect(sources)
	sentences := make([]decode.Sentence, len(words))
	room := model.Capacity{Sentences: together}
	for i, source := range words {
		ids := m.Source.Encode(source)
		sentences[i] = decode.Sentence{Source: ids, MaxLength: expansion * len(ids)}
		room.SourceLength = max(room.SourceLength, len(ids))
		room.TargetLength = max(room.TargetLength, expansion*len(ids))
	}
	decoding := decode.Options{Beam: beam, ForbidUNK: forbidUNK}
	pool, err := decode.NewPool(kernels.Best(), decoding, room, runtime.GOMAXPROCS(0), m)
	if err != nil {
		return nil, err
	}
	list := make([]translation, len(words))
	err = pool.Translate(ctx, sentences, func(i int, best []decode.Translation) {
		list[i] = newTranslation(m, words[i], best[0])
	})
	return list, err
}

// newTranslation copies a translation.
func newTranslation(m *model.Model, source []string, t decode.Translation) translation {
	const end = "</s>"
	a := figure.Alignment{Source: append(slices.Clone(source), end), Weights: copied(t.Alignment)}
	for _, id := range t.IDs {
		a.Target = append(a.Target, html.UnescapeString(m.Target.Word(id))) // as Moses escapes tokens
	}
	return translation{m.Target.Decode(t.IDs), a}
}

// copied returns a copy of a matrix.
func copied(m kernels.Matrix) kernels.Matrix {
	c := kernels.NewMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
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
