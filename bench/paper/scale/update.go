//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// What a model of some precision does, beside updates.
const (
	oneWord     = "update of a pair of one word a side"
	stepping    = "step of the optimizer"
	saving      = "checkpoint and model file"
	losing      = "loss"
	greedy      = "greedy translation"
	beam        = "beam of 12"
	validated   = 128 // sentences of loss and greedy translation
	translated  = 32  // of translation with a beam
	hypotheses  = 12
	modelRounds = 3 // at least
)

// updateOf is an update of a batch of that many pairs.
func updateOf(pairs int) string { return fmt.Sprintf("update of %d pairs", pairs) }

// batch returns pairs of sentences of so many words, EOS included. They are random words, whose
// frequencies follow Zipf's law.
func batch(rng *rand.Rand, c model.Config, pairs, words int) []text.Example {
	draw := func(vocabulary int) []int32 {
		z := rand.NewZipf(rng, 1.1, 1, uint64(vocabulary-1)-uint64(text.UNK+1))
		ids := make([]int32, words)
		for i := range words - 1 {
			ids[i] = text.UNK + 1 + int32(z.Uint64())
		}
		ids[words-1] = text.EOS
		return ids
	}
	list := make([]text.Example, pairs)
	for i := range list {
		list[i] = text.Example{Source: draw(c.SourceVocab), Target: draw(c.TargetVocab)}
	}
	return list
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// measureUpdates adds the costs of updates of those sizes, the largest first, on that many threads, and
// of a step of the optimizer alone.
func (c costs) measureUpdates(folder string, config model.Config, p model.Precision, threads int, sizes ...int) error {
	m, err := model.New(config, 1)
	if err != nil {
		return err
	}
	dense := len(m.Parameters.Values) - config.Embedding*(config.SourceVocab+config.TargetVocab)
	team := kernels.NewTeam(threads)
	defer team.Close()
	k := kernels.Best().With(team)
	trainer, err := model.NewTrainer(k, m, model.Recipe{Precision: p},
		model.Capacity{Sentences: sizes[0], SourceLength: bench.Words, TargetLength: bench.Words})
	if err != nil {
		return err
	}
	rng := newRandom()
	update := func(name string, pairs, words int) error {
		list := batch(rng, config, pairs, words)
		return c.measure(name, func() error { _, err := trainer.Update(list); return err })
	}
	for range modelRounds {
		err = errors.Join(err, update(updateOf(sizes[0]), sizes[0], bench.Words))
		for range modelRounds { // of what takes less time
			for _, pairs := range sizes[1:] {
				err = errors.Join(err, update(updateOf(pairs), pairs, bench.Words))
			}
			err = errors.Join(err, update(oneWord, 1, 1))
		}
		err = errors.Join(err, c.measure(saving, func() error {
			return errors.Join(trainer.Save(filepath.Join(folder, "checkpoint"), ""), model.Save(filepath.Join(folder, "model"), m))
		}))
	}
	var v [4][]float32
	for i := range v {
		v[i] = kernels.Alloc(dense)
	}
	for range modelRounds {
		err = errors.Join(err, c.measure(stepping, func() error {
			k.UpdateAdadelta(kernels.Adadelta{Rho: 0.95, Epsilon: 1e-6, Scale: 1}, v[0], v[1], v[2], v[3])
			return nil
		}))
	}
	return err
}

// measureTranslation adds the costs of validating and translating sentences on that many threads.
func (c costs) measureTranslation(m *model.Model, threads int) error {
	const scored = 16 // sentences whose loss train computes together
	team := kernels.NewTeam(threads)
	defer team.Close()
	examples := batch(newRandom(), m.Config, validated, bench.Words)
	scorer, err := model.NewScorer(kernels.Best().With(team), m, model.CapacityOf(examples, scored))
	if err != nil {
		return err
	}
	list := make([]decode.Sentence, validated)
	for i, e := range examples {
		list[i] = decode.Sentence{Source: e.Source, MaxLength: bench.Words}
	}
	translate := func(sentences, hypotheses int) func() error {
		return func() error {
			t, err := decode.New(m, decode.Options{Beam: hypotheses, NoAlignments: true, Threads: threads})
			if err != nil {
				return err
			}
			defer t.Close()
			t.Each(context.Background(), list[:sentences], func(_ int, _ []decode.Translation, failed error) { err = errors.Join(err, failed) })
			return err
		}
	}
	for range modelRounds {
		err = errors.Join(err,
			c.measure(losing, func() error {
				for part := range slices.Chunk(examples, scored) {
					if _, err := scorer.Loss(part); err != nil {
						return err
					}
				}
				return nil
			}),
			c.measure(greedy, translate(validated, 1)), c.measure(beam, translate(translated, hypotheses)))
	}
	return err
}

// onRanks runs f on every rank of a network.
func onRanks(ranks int, link collective.Link, f func(*collective.Group) error) error {
	local := collective.NewLocal(ranks, link)
	defer local.Close()
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			g, err := collective.New(local.Transport(rank))
			if err == nil {
				err = f(g)
			}
			if errs[rank] = err; err != nil {
				local.Close()
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// A rankUpdate is what one update of rank 0 takes.
type rankUpdate struct {
	Total, Exchange float64 // seconds; the update waits for its exchange
	sent            int64   // bytes
}

// measureRanks trains on ranks of one thread with batches of that many pairs, and returns the fastest
// of two updates of rank 0. Its time is its processor time, which other programs hardly change, and its time
// in exchanges.
func measureRanks(c model.Config, ranks, pairs int, link collective.Link) (fastest rankUpdate, err error) {
	list := batches(c, 1+2, pairs)
	err = onRanks(ranks, link, func(g *collective.Group) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		m, err := model.New(c, 1)
		if err != nil {
			return err
		}
		trainer, err := model.NewTrainer(kernels.Best(), m, model.Recipe{Shards: ranks}, model.CapacityOf(list[0], pairs))
		if err != nil {
			return err
		}
		if err := trainer.Join(g); err != nil {
			return err
		}
		u, err := fastestUpdate(trainer, g, list, func() float64 {
			return processorTime(syscall.RUSAGE_THREAD) + g.Traffic().Time.Seconds()
		})
		if g.Rank() == 0 {
			fastest = u
		}
		return err
	})
	return fastest, err
}

// batches returns batches of so many pairs.
func batches(c model.Config, n, pairs int) [][]text.Example {
	rng, list := newRandom(), make([][]text.Example, n)
	for i := range list {
		list[i] = batch(rng, c, pairs, bench.Words)
	}
	return list
}

// fastestUpdate returns the fastest of the updates of a rank by a clock in seconds, but for the first one, which warms up.
func fastestUpdate(trainer *model.Trainer, g *collective.Group, batches [][]text.Example, clock func() float64) (fastest rankUpdate, err error) {
	for i, batch := range batches {
		before, start := g.Traffic(), clock()
		if _, err := trainer.Update(batch); err != nil {
			return fastest, err
		}
		after := g.Traffic()
		u := rankUpdate{clock() - start, (after.Time - before.Time).Seconds(), after.Sent - before.Sent}
		if i == 1 || i > 1 && u.Total < fastest.Total {
			fastest = u
		}
	}
	return fastest, nil
}
