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

// agreements sets the agreement of pairs by the models in files, of equally many of each direction, English-French and
// French-English: their needs are averaged.
func agreements(ctx context.Context, paths [2][]string, pairs []linkedPair, threads int) error {
	var examples [2][][]text.Example // of each model
	var models [2][]*model.Model
	for side := range paths {
		for _, path := range paths[side] {
			m, err := files.OpenModel(path)
			if err != nil {
				return err
			}
			var list []text.Example
			for i := range pairs {
				source, target := pairs[i].in(side)
				list = append(list, text.Example{Source: m.EncodeWords(source), Target: m.Target.Encode(target)})
			}
			models[side], examples[side] = append(models[side], m), append(examples[side], list)
		}
	}
	errs := make([]error, threads)
	var running sync.WaitGroup
	for thread := range threads {
		var scorers [2][]*model.Scorer
		for side := range models {
			for i, m := range models[side] {
				scorer, err := model.NewScorer(kernels.Best(), m, model.CapacityOf(examples[side][i], omissionBatch))
				if err != nil {
					return err
				}
				scorers[side] = append(scorers[side], scorer)
			}
		}
		running.Go(func() {
			for i := thread; i < len(pairs) && errs[thread] == nil; i += threads {
				forward, err := meanNeeds(scorers[0], examples[0], i)
				backward, err2 := meanNeeds(scorers[1], examples[1], i)
				if errs[thread] = errors.Join(err, err2, ctx.Err()); errs[thread] == nil {
					pairs[i].agreement = agree(forward, backward)
				}
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// meanNeeds returns the mean of what several models need of pair i, of which each has an example.
func meanNeeds(scorers []*model.Scorer, examples [][]text.Example, i int) (mean kernels.Matrix, err error) {
	for k, scorer := range scorers {
		n, err := needs(scorer, examples[k][i])
		if err != nil {
			return mean, err
		}
		if k == 0 {
			mean = n
		} else {
			kernels.Best().Add(mean.Data, n.Data)
		}
	}
	kernels.Best().Scale(mean.Data, 1/float32(len(scorers)))
	return mean, nil
}

// omissionBatch is the number of sentences that a scorer takes at once.
const omissionBatch = 32

const attentionFactor = 2

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
