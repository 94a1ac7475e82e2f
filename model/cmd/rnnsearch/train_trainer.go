package main

import (
	"context"
	"fmt"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/text"
)

// A trainer is a model.Trainer with its batches and a team of threads.
type trainer struct {
	*model.Trainer
	team      *kernels.Team
	recipe    model.Recipe
	batcher   *text.Batcher
	batchSize int            // largest number of sentences
	examples  []text.Example // of newTrainer, for limitSource,
	seed      uint64         // and of the order of their batches
}

// newTrainer returns a trainer that updates m according to r with batches of the pairs, on that many
// threads. It must be closed.
func newTrainer(m *model.Model, pairs []text.Pair, r model.Recipe, batchSize int, seed uint64, threads int) (*trainer, error) {
	examples := text.Examples(pairs, m.Source, m.Target)
	capacity := model.CapacityOf(examples, min(batchSize, len(examples)))
	t, err := newBatchTrainer(m, text.NewBatcher(examples, batchSize, seed), capacity, r, threads)
	if err != nil {
		return nil, err
	}
	t.examples, t.seed = examples, seed
	return t, nil
}

// newBatchTrainer is newTrainer with batches of up to that capacity.
func newBatchTrainer(m *model.Model, batcher *text.Batcher, capacity model.Capacity, r model.Recipe, threads int) (*trainer, error) {
	team := kernels.NewTeam(threads)
	t, err := model.NewTrainer(kernels.Best().With(team), m, r, capacity)
	if err != nil {
		team.Close()
		return nil, err
	}
	return &trainer{Trainer: t, team: team, recipe: r, batcher: batcher, batchSize: capacity.Sentences}, nil
}

// close ends the goroutines of the team.
func (t *trainer) close() { t.team.Close() }

// limitSource restricts the following updates to sources of at most maxLength words, EOS included.
func (t *trainer) limitSource(maxLength int) error {
	var short []text.Example
	for _, e := range t.examples {
		if len(e.Source) <= maxLength {
			short = append(short, e)
		}
	}
	if len(short) == 0 {
		return fmt.Errorf("no source of up to %d words", maxLength)
	}
	t.batcher = text.NewBatcher(short, t.batchSize, t.seed)
	return nil
}

// seek continues with a batch of an epoch, both counted from 0. They must match the number of
// updates of the model.Trainer.
func (t *trainer) seek(epoch, batch int) error {
	t.batcher.Seek(max(epoch, 0), 0)
	n := t.batcher.BatchesPerEpoch()
	if epoch < 0 || batch < 0 || batch > n || !t.batcher.Varies() && t.Updates() != epoch*n+batch {
		return fmt.Errorf("%d updates in epoch %d and batch %d, expected epochs of %d batches", t.Updates(), epoch, batch, n)
	}
	t.batcher.Seek(epoch+batch/n, batch%n)
	return nil
}

// learningRate returns the learning rate of the last update, or nil if the optimizer has none.
func (t *trainer) learningRate() *float64 {
	if t.recipe.Adam == nil {
		return nil
	}
	return new(t.recipe.Adam.RateAt(t.Updates()))
}

// next updates the model with the next batch, and returns the batch and its loss before the update.
func (t *trainer) next() (batch []text.Example, loss float64, err error) {
	if batch = t.batcher.Next(); batch == nil {
		return nil, 0, fmt.Errorf("update %d: %w", t.Updates()+1, t.batcher.Err())
	}
	if loss, err = t.Update(batch); err != nil {
		return nil, 0, fmt.Errorf("update %d: %w", t.Updates()+1, err)
	}
	return batch, loss, nil
}

// trainStats are the statistics of a series of updates.
type trainStats struct {
	loss float64 // mean per target word, EOS included, each before its update
	throughput
}

// updates performs n updates. It stops early with the error of ctx.
func (t *trainer) updates(ctx context.Context, n int, p terminal.Progress) (trainStats, error) {
	defer p.Done()
	var all mean
	var recent movingLoss
	var stats trainStats
	start := time.Now()
	for range n {
		if err := ctx.Err(); err != nil {
			return trainStats{}, err
		}
		batch, loss, err := t.next()
		if err != nil {
			return trainStats{}, err
		}
		words := targetWords(batch)
		all.add(loss, words)
		recent.add(loss, words)
		stats.sentences += len(batch)
		p.Add(len(batch), recent.String())
	}
	stats.loss, stats.time = all.value(), time.Since(start)
	return stats, nil
}

// A throughput is a number of sentences and the time that they took.
type throughput struct {
	sentences int
	time      time.Duration
}

func (t *throughput) add(sentences int, d time.Duration) {
	t.sentences += sentences
	t.time += d
}

// speed returns the sentences per second.
func (t throughput) speed() float64 {
	if t.time <= 0 {
		return 0
	}
	return float64(t.sentences) / t.time.Seconds()
}

// A mean is a weighted mean: a sum and the number of its terms.
type mean struct{ Sum, Terms float64 }

// add adds the sum of that many terms.
func (m *mean) add(sum float64, terms int) {
	m.Sum += sum
	m.Terms += float64(terms)
}

func (m *mean) value() float64 { return m.Sum / m.Terms }

// A movingLoss is an exponential moving average of the loss per word.
type movingLoss struct{ mean }

// add adds the loss of a batch of that many words.
func (m *movingLoss) add(loss float64, words int) {
	const decay = 0.98
	m.Sum *= decay
	m.Terms *= decay
	m.mean.add(loss, words)
}

func (m *movingLoss) String() string { return fmt.Sprintf("loss %.3f", m.value()) }

// targetWords returns the number of words that the model predicts, EOS included.
func targetWords(examples []text.Example) int {
	n := 0
	for _, e := range examples {
		n += len(e.Target)
	}
	return n
}
