package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// omissions writes a line of links for each pair of two files of tokens: from each target word to the source word
// whose omission makes it least likely, argmin_i log p(y_j | y_1 … y_{j-1}, x without x_i). Li et al. (2019) call
// this prediction difference.
func omissions(ctx context.Context, w io.Writer, path, source, target string, threads int) error {
	m, err := files.OpenModel(path)
	if err != nil {
		return err
	}
	var pairs []text.Example
	var side [2][]string
	for i, path := range []string{source, target} {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		side[i] = strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	}
	if len(side[0]) != len(side[1]) {
		return fmt.Errorf("%s, %s: %d and %d lines", source, target, len(side[0]), len(side[1]))
	}
	for i := range side[0] {
		pairs = append(pairs, text.Example{Source: m.EncodeWords(strings.Fields(side[0][i])), Target: m.Target.Encode(strings.Fields(side[1][i]))})
	}
	c := model.CapacityOf(pairs, omissionBatch)
	lines, errs := make([]string, len(pairs)), make([]error, threads)
	var running sync.WaitGroup
	for thread := range threads {
		scorer, err := model.NewScorer(kernels.Best(), m, c)
		if err != nil {
			return err
		}
		running.Go(func() {
			for i := thread; i < len(pairs) && errs[thread] == nil; i += threads {
				if errs[thread] = ctx.Err(); errs[thread] == nil {
					lines[i], errs[thread] = omission(scorer, pairs[i])
				}
			}
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err = io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// omissionBatch is the number of sentences that a scorer takes at once.
const omissionBatch = 32

// omission returns the links of a pair, none without source words.
func omission(scorer *model.Scorer, e text.Example) (string, error) {
	words, end := len(e.Source)-1, len(e.Target)
	if words == 0 {
		return "", nil
	}
	least, link, log := make([]float32, end), make([]int, end), make([]float32, end)
	for first := 0; first < words; first += omissionBatch {
		var batch []text.Example
		for i := first; i < min(first+omissionBatch, words); i++ {
			batch = append(batch, text.Example{Source: slices.Delete(slices.Clone(e.Source), i, i+1), Target: e.Target})
		}
		if _, err := scorer.Loss(batch); err != nil {
			return "", err
		}
		for i := range batch {
			scorer.LogProbabilities(log, i)
			for j, l := range log {
				if first+i == 0 || l < least[j] {
					least[j], link[j] = l, first+i
				}
			}
		}
	}
	list := make([]string, end-1)
	for j := range list {
		list[j] = fmt.Sprintf("%d-%d", link[j], j)
	}
	return strings.Join(list, " "), nil
}
