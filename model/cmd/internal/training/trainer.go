package training

import (
	"context"
	"fmt"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Trainer is a model.Trainer with its batches and a team of threads.
type Trainer struct {
	*model.Trainer
	Batcher *text.Batcher // of the following updates

	team   *kernels.Team
	recipe model.Hyperparameters
}

// NewTrainer returns a trainer that updates m according to r with batches of up to that capacity, on that
// many threads. It must be closed.
func NewTrainer(m *model.Model, batcher *text.Batcher, capacity model.Capacity, r model.Hyperparameters, threads int) (*Trainer, error) {
	team := kernels.NewTeam(threads)
	t, err := model.NewTrainer(kernels.Best().With(team), m, r, capacity)
	if err != nil {
		team.Close()
		return nil, err
	}
	return &Trainer{Trainer: t, Batcher: batcher, team: team, recipe: r}, nil
}

// Close ends the goroutines of the team.
func (t *Trainer) Close() { t.team.Close() }

// seek continues with a batch of an epoch, both counted from 0. They must match the number of
// updates of the model.Trainer.
func (t *Trainer) seek(epoch, batch int) error {
	t.Batcher.Seek(max(epoch, 0), 0)
	n := t.Batcher.BatchesPerEpoch()
	if epoch < 0 || batch < 0 || batch > n || !t.Batcher.Varies() && t.Updates() != epoch*n+batch {
		return fmt.Errorf("%d updates in epoch %d and batch %d, expected epochs of %d batches", t.Updates(), epoch, batch, n)
	}
	t.Batcher.Seek(epoch+batch/n, batch%n)
	return nil
}

func (t *Trainer) learningRate() *float64 {
	if t.recipe.Adam == nil {
		return nil
	}
	return new(t.recipe.Adam.RateAt(t.Updates()))
}

type update struct {
	throughput
	loss  float64 // sum over the words, before the update
	words int     // of the target, EOS included
}

// next updates the model with the next batch and shows the loss, of which recent is the average.
func (t *Trainer) next(p terminal.Progress, recent *movingLoss) (u update, err error) {
	start := time.Now()
	batch := t.Batcher.Next()
	if err = t.Batcher.Err(); err == nil {
		u.loss, err = t.Update(batch)
	}
	if err != nil {
		return update{}, fmt.Errorf("update %d: %w", t.Updates()+1, err)
	}
	u.throughput, u.words = throughput{len(batch), time.Since(start)}, targetWords(batch)
	recent.add(u.loss, u.words)
	p.Add(u.Sentences, recent.String())
	return u, nil
}

// targetWords returns the number of words that the model predicts, EOS included.
func targetWords(examples []text.Example) int {
	n := 0
	for _, e := range examples {
		n += len(e.Target)
	}
	return n
}

// Statistics describe a series of updates.
type Statistics struct {
	Loss float64 // mean per target word, EOS included, each before its update
	throughput
}

// UpdateTimes performs n updates and shows their progress. It stops early with the error of ctx.
func (t *Trainer) UpdateTimes(ctx context.Context, n int, p terminal.Progress) (Statistics, error) {
	defer p.Done()
	var loss mean
	var recent movingLoss
	var all throughput
	start := time.Now()
	for range n {
		if err := ctx.Err(); err != nil {
			return Statistics{}, err
		}
		u, err := t.next(p, &recent)
		if err != nil {
			return Statistics{}, err
		}
		loss.add(u.loss, u.words)
		all.Sentences += u.Sentences
	}
	all.Time = time.Since(start)
	return Statistics{loss.value(), all}, nil
}

type throughput struct {
	Sentences int
	Time      time.Duration
}

func (t *throughput) add(other throughput) {
	t.Sentences += other.Sentences
	t.Time += other.Time
}

// Speed returns the sentences per second.
func (t throughput) Speed() float64 {
	if t.Time <= 0 {
		return 0
	}
	return float64(t.Sentences) / t.Time.Seconds()
}

// A mean is a weighted mean: a sum and the number of its terms.
type mean struct{ Sum, Terms float64 }

func (m *mean) add(sum float64, terms int) {
	m.Sum += sum
	m.Terms += float64(terms)
}

func (m *mean) value() float64 { return m.Sum / m.Terms }

type movingLoss struct{ mean }

func (m *movingLoss) add(loss float64, words int) {
	const decay = 0.98
	m.Sum *= decay
	m.Terms *= decay
	m.mean.add(loss, words)
}

func (m *movingLoss) String() string { return fmt.Sprintf("loss %.3f", m.value()) }
