package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// omissions returns the links of a text in two languages by a model of each direction: a line for each pair, from each
// target word of the direction to the source word on which both directions [agree] most, given what each [needs].
func omissions(ctx context.Context, models, texts [2]string, threads int) (links [2][]string, err error) {
	var words [2][]string
	var list [2]*model.Model
	for side := range 2 {
		if list[side], err = files.OpenModel(models[side]); err != nil {
			return links, err
		}
		content, err := os.ReadFile(texts[side])
		if err != nil {
			return links, err
		}
		words[side] = strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		links[side] = make([]string, len(words[side]))
	}
	if len(words[0]) != len(words[1]) {
		return links, fmt.Errorf("%s, %s: %d and %d lines", texts[0], texts[1], len(words[0]), len(words[1]))
	}
	var pairs [2][]text.Example
	for side, m := range list {
		for i := range words[0] {
			pairs[side] = append(pairs[side], text.Example{Source: m.EncodeWords(strings.Fields(words[side][i])), Target: m.Target.Encode(strings.Fields(words[1-side][i]))})
		}
	}
	errs := make([]error, threads)
	var running sync.WaitGroup
	for thread := range threads {
		var scorers [2]*model.Scorer
		for side, m := range list {
			if scorers[side], err = model.NewScorer(kernels.Best(), m, model.CapacityOf(pairs[side], omissionBatch)); err != nil {
				return links, err
			}
		}
		running.Go(func() {
			for i := thread; i < len(words[0]) && errs[thread] == nil; i += threads {
				forward, err := needs(scorers[0], pairs[0][i])
				backward, err2 := needs(scorers[1], pairs[1][i])
				if errs[thread] = errors.Join(err, err2, ctx.Err()); errs[thread] != nil {
					return
				}
				agree(forward, backward)
				links[0][i], links[1][i] = closest(forward), closest(backward)
			}
		})
	}
	running.Wait()
	return links, errors.Join(errs...)
}

// omissionBatch is the number of sentences that a scorer takes at once.
const omissionBatch = 32

// needs returns how much each target word (row) of a pair needs each source word (column), without the ends: its
// attention weight, plus log p(y_j | y_1 … y_{j-1}, x) - log p(y_j | y_1 … y_{j-1}, x without x_i), which Li et al.
// (2019) call prediction difference.
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
				m.Row(j)[first+i] = weights.Row(j)[first+i] + all[j] - without[j]
			}
		}
	}
	return m, nil
}
