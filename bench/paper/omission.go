package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// agreements sets the agreement of pairs by a model of each direction, English-French and French-English.
func agreements(ctx context.Context, models [2]string, pairs []linkedPair, threads int) error {
	var examples [2][]text.Example
	var list [2]*model.Model
	for side := range models {
		m, err := files.OpenModel(models[side])
		if err != nil {
			return err
		}
		list[side] = m
		for _, p := range pairs {
			examples[side] = append(examples[side], text.Example{Source: m.EncodeWords(p.words[side]), Target: m.Target.Encode(p.words[1-side])})
		}
	}
	errs := make([]error, threads)
	var running sync.WaitGroup
	for thread := range threads {
		var scorers [2]*model.Scorer
		for side, m := range list {
			var err error
			if scorers[side], err = model.NewScorer(kernels.Best(), m, model.CapacityOf(examples[side], omissionBatch)); err != nil {
				return err
			}
		}
		running.Go(func() {
			for i := thread; i < len(pairs) && errs[thread] == nil; i += threads {
				forward, err := needs(scorers[0], examples[0][i])
				backward, err2 := needs(scorers[1], examples[1][i])
				if errs[thread] = errors.Join(err, err2, ctx.Err()); errs[thread] == nil {
					pairs[i].agreement = agree(forward, backward)
				}
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// omissionBatch is the number of sentences that a scorer takes at once.
const omissionBatch = 32

const attentionFactor = 3

// needs returns how much each target word (row) of a pair needs each source word (column), without the ends:
// attentionFactor times its attention weight, plus log p(y_j | y_1 … y_{j-1}, x) - log p(y_j | y_1 … y_{j-1}, x without
// x_i), which Li et al. (2019) call prediction difference.
func needs(scorer *model.Scorer, e text.Example) (kernels.Matrix, error) {
	m, end := kernels.NewMatrix(len(e.Target)-1, len(e.Source)-1), len(e.Target)
	if m.Rows == 0 || m.Cols == 0 {
		return m, nil
	}
	all, without, weights := make([]float32, end), make([]float32, end), kernels.NewMatrix(end, len(e.Source))
	if _, err := scorer.Loss([]text.Example{e}); err != nil {
		return m, err
	}
	scorer.LogProbabilities(all, 0)
	scorer.Alignment(weights, 0)
	for first := 0; first < m.Cols; first += omissionBatch {
		var batch []text.Example
		for i := first; i < min(first+omissionBatch, m.Cols); i++ {
			batch = append(batch, text.Example{Source: slices.Delete(slices.Clone(e.Source), i, i+1), Target: e.Target})
		}
		if _, err := scorer.Loss(batch); err != nil {
			return m, err
		}
		for i := range batch {
			scorer.LogProbabilities(without, i)
			for j := range m.Rows {
				m.Row(j)[first+i] = attentionFactor*weights.Row(j)[first+i] + all[j] - without[j]
			}
		}
	}
	return m, nil
}
