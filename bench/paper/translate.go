package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"iter"
	"slices"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/decode"
)

// beamWidth is that of the authors' program.
const beamWidth = 10

// A translation holds the words of a translated sentence and its alignment, which includes the end
// of both sentences. RNNencdec has no weights in it.
type translation struct {
	words     []string
	alignment figure.Alignment
}

// translate translates sentences, without unknown words if forbidUNK is true.
func translate(ctx context.Context, m *model.Model, sources iter.Seq[[]string], forbidUNK bool) ([]translation, error) {
	t, err := decode.New(m, decode.Options{Beam: beamWidth, ForbidUNK: forbidUNK})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	words := slices.Collect(sources)
	sentences := make([]decode.Sentence, len(words))
	for i, source := range words {
		sentences[i].Source = m.EncodeWords(source)
	}
	list, errs := make([]translation, len(words)), make([]error, len(words))
	t.Each(ctx, sentences, func(i int, best []decode.Translation, err error) {
		if err != nil {
			errs[i] = fmt.Errorf("sentence %d: %w", i+1, err)
			return
		}
		list[i] = newTranslation(m, words[i], best[0])
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return list, nil
}

// newTranslation returns a translation of source.
func newTranslation(m *model.Model, source []string, t decode.Translation) translation {
	const end = "</s>"
	a := figure.Alignment{Source: append(slices.Clone(source), end), Weights: t.Alignment}
	for _, id := range t.IDs {
		a.Target = append(a.Target, html.UnescapeString(m.Target.Word(id))) // Moses escapes tokens
	}
	return translation{m.Target.Decode(t.IDs), a}
}
