package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// A training is a model with what teaches and measures it.
type training struct {
	stdout    io.Writer
	start     progressFunc
	model     *model.Model
	learner   *learner
	validator *validator
	path      string // of the model file
	best      *validation
}

// describe says what is about to be trained on what.
func (t *training) describe(c *corpus, maxLength int) {
	fmt.Fprintf(t.stdout, "training text: %d pairs, %d dropped with more than %d words on a side\n", len(c.train), c.dropped, maxLength)
	fmt.Fprintf(t.stdout, "validation text: %d pairs\n", len(c.valid))
	fmt.Fprintf(t.stdout, "vocabularies: %d source words, %d target words\n", c.source.Size(), c.target.Size())
	fmt.Fprintln(t.stdout, description(t.model))
}

// description says what a model is and what it runs on.
func description(m *model.Model) string {
	return fmt.Sprintf("model: %s, %.2f million weights, on %s kernels",
		m.Config.Order, float64(len(m.Parameters.Values))/1e6, kernels.Best())
}

// run trains for all epochs and keeps the best model.
func (t *training) run(ctx context.Context, epochs int) error {
	began := time.Now()
	for epoch := 1; epoch <= epochs; epoch++ {
		title := fmt.Sprintf("epoch %d of %d", epoch, epochs)
		learned, err := t.learner.epoch(ctx, t.start, title)
		if err != nil {
			return fmt.Errorf("epoch %d: %w", epoch, err)
		}
		result, err := t.validator.validate(ctx, t.start, title)
		if err != nil {
			return fmt.Errorf("epoch %d: %w", epoch, err)
		}
		fmt.Fprintf(t.stdout, "epoch %d: %d updates, training loss %.4f and validation loss %.4f per word, BLEU %.2f, %.1f sentences/s, %s\n",
			epoch, t.learner.updates, learned.loss, result.loss, result.bleu, learned.speed(), time.Since(began).Round(time.Second))
		if err := t.keep(result); err != nil {
			return err
		}
	}
	return nil
}

// keep writes the model to its file if it is the best so far.
func (t *training) keep(result validation) error {
	if t.best != nil && !result.better(*t.best) {
		return nil
	}
	t.best = &result
	if err := model.Save(t.path, t.model); err != nil {
		return err
	}
	fmt.Fprintf(t.stdout, "best so far, saved to %s\n", t.path)
	return nil
}
