package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"iter"
	"slices"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/bootstrap"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// beamWidth is that of the authors' program.
const beamWidth = 10

// A translation holds the words of a translated sentence and the alignment of its segments, which
// includes the end of both sentences. RNNencdec has no weights in it.
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
	var words [][]string
	var sentences []decode.Sentence
	for source := range sources {
		words = append(words, m.SourceText.Segment(source))
		sentences = append(sentences, decode.Sentence{Source: m.EncodeWords(words[len(words)-1])})
	}
	list, errs := make([]translation, len(words)), make([]error, len(words))
	t.Each(ctx, sentences, func(i int, best []decode.Translation, err error) {
		if err != nil {
			errs[i] = fmt.Errorf("sentence %d: %w", i+1, err)
			return
		}
		list[i] = newTranslation(m, words[i], best[0])
	})
	if err := ctx.Err(); err != nil { // one error, not one for each sentence
		return nil, err
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return list, nil
}

func newTranslation(m *model.Model, source []string, t decode.Translation) translation {
	const end = "</s>"
	a := figure.Alignment{Source: append(slices.Clone(source), end), Weights: t.Alignment}
	for _, id := range t.IDs {
		a.Target = append(a.Target, html.UnescapeString(m.Target.Word(id))) // Moses escapes tokens
	}
	return translation{m.TargetText.Join(m.Target.Decode(t.IDs)), a}
}

// measure translates the test with the model of every system and adds the scores to the result. It
// returns the test pairs without unknown words.
func measure(ctx context.Context, stdout io.Writer, models []*model.Model, test []text.Pair, r *result) (known []text.Pair, err error) {
	known = knownPairs(test, models)
	if len(known) == 0 {
		return nil, errors.New("every test sentence has a word that some model does not know")
	}
	for i, m := range models {
		s := &r.Systems[i]
		all, err := evaluate(ctx, m, test, false)
		if err != nil {
			return nil, err
		}
		withoutUNK, err := evaluate(ctx, m, known, true)
		if err != nil {
			return nil, err
		}
		s.All, s.Known, s.Lengths = all.score(), withoutUNK.score(), all.byLength(test)
		fmt.Fprintf(stdout, "%s: %.2f BLEU, %.2f without unknown words\n", s.name(), s.All.BLEU, s.Known.BLEU)
	}
	return known, nil
}

// knownPairs returns the pairs whose words all models know.
func knownPairs(pairs []text.Pair, models []*model.Model) []text.Pair {
	var list []text.Pair
	for _, p := range pairs {
		unknown := slices.ContainsFunc(models, func(m *model.Model) bool {
			return slices.Contains(m.Source.Encode(m.SourceText.Segment(p.Source)), text.UNK) ||
				slices.Contains(m.Target.Encode(m.TargetText.Segment(p.Target)), text.UNK)
		})
		if !unknown {
			list = append(list, p)
		}
	}
	return list
}

// A statistics holds the BLEU counts of each sentence of a corpus.
type statistics []bleu.Statistics

// evaluate translates the sources of pairs and compares the translations with the targets.
func evaluate(ctx context.Context, m *model.Model, pairs []text.Pair, forbidUNK bool) (statistics, error) {
	translations, err := translate(ctx, m, text.Sources(pairs), forbidUNK)
	if err != nil {
		return nil, err
	}
	return compare(pairs, translations), nil
}

func compare(pairs []text.Pair, translations []translation) statistics {
	s := make(statistics, len(pairs))
	for i, p := range pairs {
		s[i].Add(translations[i].words, p.Target)
	}
	return s
}

func (s statistics) score() score {
	all := make([]int, len(s))
	for i := range all {
		all[i] = i
	}
	return s.scoreOf(all)
}

// byLength returns the scores by the length of the sources of pairs.
func (s statistics) byLength(pairs []text.Pair) []lengthScore {
	var list []lengthScore
	for _, b := range bucketsOf(pairs) {
		list = append(list, lengthScore{b.Min, b.Mean, s.scoreOf(b.Sentences)})
	}
	return list
}

// scoreOf returns the score of some of the sentences.
func (s statistics) scoreOf(sentences []int) score {
	const seed = 1
	i := bootstrap.Confidence(len(sentences), seed, bootstrap.Score(s.bleu).Subset(sentences))
	return score{len(sentences), s.bleu(sentences), i.Low, i.High}
}

// bleu returns the BLEU of some of the sentences.
func (s statistics) bleu(sentences []int) float64 {
	var total bleu.Statistics
	for _, i := range sentences {
		total.Merge(&s[i])
	}
	return total.BLEU()
}
