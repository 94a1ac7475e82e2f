package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// open reads the models of all systems, and adds their sizes to the result.
func (t *trainer) open(r *result) ([]*model.Model, error) {
	var models []*model.Model
	for i := range r.Systems {
		s := &r.Systems[i]
		m, err := model.Open(t.model(s.system))
		if err != nil {
			return nil, err
		}
		s.Weights = len(m.Parameters.Values)
		models = append(models, m)
	}
	return models, nil
}

// measure translates the test with the model of every system, adds the scores to the result, and
// returns the texts without unknown words.
func measure(ctx context.Context, stdout io.Writer, models []*model.Model, test []text.Pair, r *result) ([]text.Pair, error) {
	familiar := known(test, models)
	if len(familiar) == 0 {
		return nil, errors.New("no text of the test has only words that all models know")
	}
	for i, m := range models {
		s := &r.Systems[i]
		all, err := judge(ctx, m, test, false)
		if err != nil {
			return nil, err
		}
		without, err := judge(ctx, m, familiar, true)
		if err != nil {
			return nil, err
		}
		s.All, s.Known, s.Lengths = all.score(), without.score(), all.byLength(test)
		fmt.Fprintf(stdout, "%s: %.2f BLEU, %.2f without unknown words\n", s.name(), s.All.BLEU, s.Known.BLEU)
	}
	return familiar, nil
}

// judge translates the sources of pairs and compares the translations with the targets.
func judge(ctx context.Context, m *model.Model, pairs []text.Pair, forbidUNK bool) (judgement, error) {
	translations, err := translate(ctx, m, text.Sources(pairs), forbidUNK)
	if err != nil {
		return nil, err
	}
	return compare(pairs, translations), nil
}
