package main

import (
	"context"
	"fmt"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A learner trains a model on a team of threads and counts its updates.
type learner struct {
	team     *kernels.Team
	trainer  *model.Trainer
	batcher  *text.Batcher
	examples []text.Example
	batch    int // sentences of an update
	seed     uint64
	updates  int
}

// A lesson is what a series of updates came to.
type lesson struct {
	loss      float64 // per target word, EOS included, each before its update
	sentences int
	time      time.Duration
}

// speed returns the sentences per second.
func (l lesson) speed() float64 { return float64(l.sentences) / l.time.Seconds() }

// newLearner returns a learner of m from the pairs, with an order that follows from seed, on
// that many threads. It must be closed.
func newLearner(m *model.Model, pairs []text.Pair, batch int, seed uint64, threads int) (*learner, error) {
	examples := text.Examples(pairs, m.Source, m.Target)
	batch = min(batch, len(examples))
	team := kernels.NewTeam(threads)
	trainer, err := model.NewTrainer(kernels.Best().With(team), m, model.Recipe{}, capacity(examples, batch))
	if err != nil {
		team.Close()
		return nil, err
	}
	return &learner{
		team: team, trainer: trainer, batcher: text.NewBatcher(examples, batch, seed),
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

// epoch learns every example once.
func (l *learner) epoch(ctx context.Context, start progressFunc, title string) (lesson, error) {
	return l.learn(ctx, l.batcher.BatchesPerEpoch(), start(title, len(l.examples)))
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
		batch := l.batcher.Next()
		loss, err := l.trainer.Update(batch)
		if err != nil {
			return lesson{}, fmt.Errorf("update %d: %w", l.updates+1, err)
		}
		l.updates++
		words := targetWords(batch)
		all.add(loss, words)
		recent.fade(0.98)
		recent.add(loss, words)
		result.sentences += len(batch)
		p.add(len(batch), fmt.Sprintf("loss %.3f per word", recent.value()))
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

// A mean is a sum and the number of its terms.
type mean struct{ sum, terms float64 }

// add adds the sum of so many terms.
func (m *mean) add(sum float64, terms int) {
	m.sum += sum
	m.terms += float64(terms)
}

// fade lets what was added so far count less.
func (m *mean) fade(factor float64) {
	m.sum *= factor
	m.terms *= factor
}

func (m *mean) value() float64 { return m.sum / m.terms }
