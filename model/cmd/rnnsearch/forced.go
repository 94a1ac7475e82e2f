package main

import (
	"context"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

const (
	forcedRows = 16 * sourceStep  // words of a side in a batch of given pairs
	mostForced = 361 * sourceStep // words of a side of a pair, EOS included: so many by so many are mostWeights
)

// A forcer computes what a model makes of given pairs of any length: the log-probabilities of
// the target words and their alignment.
type forcer struct {
	kernels   kernels.Impl
	model     *model.Model
	workspace *model.Scorer
	capacity  model.Capacity // of the workspace
	logProbs  []float32
}

// forced is what a model makes of a pair. It is valid until the next one.
type forced struct {
	logProbs  []float32 // log p of each target word, EOS at the end
	source    int       // words with EOS
	workspace *model.Scorer
	place     int // in the batch of the workspace
}

// logProb returns log p of the target.
func (f forced) logProb() float64 {
	sum := 0.0
	for _, p := range f.logProbs {
		sum += float64(p)
	}
	return sum
}

// weights returns the alignment, target×source, which RNNencdec has none of.
func (f forced) weights() kernels.Matrix {
	n := len(f.logProbs)
	w := kernels.NewMatrix(n, f.source)
	f.workspace.Alignment(w, f.place)
	return w
}

func newForcer(k kernels.Impl, m *model.Model) *forcer { return &forcer{kernels: k, model: m} }

// run calls each with what the model makes of each pair and its place in the list, in any order,
// until ctx ends: then the error is that of ctx.
func (f *forcer) run(ctx context.Context, pairs []text.Pair, each func(i int, r forced)) error {
	examples := text.Examples(pairs, f.model.Source, f.model.Target)
	for _, places := range forcedBatches(examples) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.batch(examples, places, each); err != nil {
			return err
		}
	}
	return nil
}

// words returns the words of the longer side with EOS.
func words(e text.Example) int { return max(len(e.Source), len(e.Target)) }

// forcedBatches returns the places of the examples in batches of similar length, the longest
// first. The more words a pair may have, the fewer pairs are in a batch.
func forcedBatches(examples []text.Example) [][]int {
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return words(examples[j]) - words(examples[i]) })
	var batches [][]int
	for len(order) > 0 {
		room := roomFor(words(examples[order[0]]))
		n := 1
		for n < min(len(order), pairsOf(room)) && roomFor(words(examples[order[n]])) == room {
			n++
		}
		batches, order = append(batches, order[:n]), order[n:]
	}
	return batches
}

// pairsOf returns the most pairs of up to that many words in a batch.
func pairsOf(room int) int { return max(1, forcedRows/room) }

// batch computes the examples of a batch, whose first is the longest.
func (f *forcer) batch(examples []text.Example, places []int, each func(i int, r forced)) error {
	batch := make([]text.Example, len(places))
	for i, place := range places {
		batch[i] = examples[place]
	}
	if err := f.reserve(roomFor(words(batch[0]))); err != nil {
		return err
	}
	if _, err := f.workspace.Loss(batch); err != nil {
		return err
	}
	for i, e := range batch {
		each(places[i], f.result(i, e))
	}
	return nil
}

// reserve makes a workspace for pairs of up to that many words.
func (f *forcer) reserve(room int) (err error) {
	capacity := model.Capacity{Sentences: pairsOf(room), SourceLength: room, TargetLength: room}
	if f.capacity == capacity {
		return nil
	}
	f.capacity, f.workspace = capacity, nil // which may be large
	f.workspace, err = model.NewScorer(f.kernels, f.model, capacity)
	return err
}

// result returns what the workspace has of sentence i of its batch.
func (f *forcer) result(i int, e text.Example) forced {
	f.logProbs = slices.Grow(f.logProbs[:0], len(e.Target))[:len(e.Target)]
	f.workspace.LogProbabilities(f.logProbs, i)
	return forced{f.logProbs, len(e.Source), f.workspace, i}
}
