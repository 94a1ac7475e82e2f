package main

import (
	"context"
	"fmt"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A learner trains a model on a team of threads.
type learner struct {
	team     *kernels.Team
	trainer  *model.Trainer
	recipe   model.Recipe
	batcher  *text.Batcher
	examples []text.Example
	batch    int // sentences of an update
	seed     uint64
}

// A lesson is what a series of updates came to.
type lesson struct {
	loss      float64 // per target word, EOS included, each before its update
	sentences int
	time      time.Duration
}

// speed returns the sentences per second.
func (l lesson) speed() float64 { return speed(l.sentences, l.time) }

// newLearner returns a learner of m from the pairs by the recipe, with an order that follows from
// seed, on that many threads. It must be closed.
func newLearner(m *model.Model, pairs []text.Pair, r model.Recipe, batch int, seed uint64, threads int) (*learner, error) {
	examples := text.Examples(pairs, m.Source, m.Target)
	batch = min(batch, len(examples))
	team := kernels.NewTeam(threads)
	trainer, err := model.NewTrainer(kernels.Best().With(team), m, r, capacity(examples, batch))
	if err != nil {
		team.Close()
		return nil, err
	}
	return &learner{
		team: team, trainer: trainer, recipe: r, batcher: text.NewBatcher(examples, batch, seed),
		examples: examples, batch: batch, seed: seed,
	}, nil
}

// close ends the goroutines of the learner.
func (l *learner) close() { l.team.Close() }

// limit goes on with the sources of up to so many words, EOS included.
func (l *learner) limit(words int) error {
	var short []text.Example
	for _, e := range l.examples {
		if len(e.Source) <= words {
			short = append(short, e)
		}
	}
	if len(short) == 0 {
		return fmt.Errorf("no source of up to %d words", words)
	}
	l.batcher = text.NewBatcher(short, l.batch, l.seed)
	return nil
}

// capacity returns the room that any batch of so many of the examples needs.
func capacity(examples []text.Example, sentences int) model.Capacity {
	c := model.Capacity{Sentences: sentences}
	for _, e := range examples {
		c.SourceLength = max(c.SourceLength, len(e.Source))
		c.TargetLength = max(c.TargetLength, len(e.Target))
	}
	return c
}

// seek goes on with that batch of that epoch, both from 0, which the trainer must have come to.
func (l *learner) seek(epoch, batch int) error {
	n := l.batcher.BatchesPerEpoch()
	if epoch < 0 || batch < 0 || batch > n || l.trainer.Updates() != epoch*n+batch {
		return fmt.Errorf("%d updates in epoch %d and batch %d, expected epochs of %d batches", l.trainer.Updates(), epoch, batch, n)
	}
	l.batcher.Seek(epoch+batch/n, batch%n)
	return nil
}

// learningRate returns that of the last update, or nil where the optimizer has none.
func (l *learner) learningRate() *float64 {
	if l.recipe.Adam == nil {
		return nil
	}
	return new(l.recipe.Adam.RateAt(l.trainer.Updates()))
}

// update learns the next batch and returns it with its loss before the update.
func (l *learner) update() (batch []text.Example, loss float64, err error) {
	batch = l.batcher.Next()
	if loss, err = l.trainer.Update(batch); err != nil {
		return nil, 0, fmt.Errorf("update %d: %w", l.trainer.Updates()+1, err)
	}
	return batch, loss, nil
}

// learn takes that many updates, or fewer and the error of ctx if it ends before.
func (l *learner) learn(ctx context.Context, updates int, p progress) (lesson, error) {
	defer p.done()
	var all, recent mean
	var result lesson
	start := time.Now()
	for range updates {
		if err := ctx.Err(); err != nil {
			return lesson{}, err
		}
		batch, loss, err := l.update()
		if err != nil {
			return lesson{}, err
		}
		words := targetWords(batch)
		all.add(loss, words)
		result.sentences += len(batch)
		p.add(len(batch), recent.note(loss, words))
	}
	result.loss, result.time = all.value(), time.Since(start)
	return result, nil
}

// targetWords returns the number of words that the model predicts, EOS included.
func targetWords(examples []text.Example) int {
	n := 0
	for _, e := range examples {
		n += len(e.Target)
	}
	return n
}
