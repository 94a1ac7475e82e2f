package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A training is what teaches a model and measures it, and how far that has come.
type training struct {
	settings        settings
	checkpoint      checkpointOptions
	stop            stopOptions
	path            string // of the model file
	start           progressFunc
	log             func(record)
	progressUpdates int // from one progress in the log to the next
	learner         *learner
	validator       *validator

	state   state
	clock   clock
	lap     lap
	saved   int       // update of the last checkpoint, -1 before the first
	savedAt time.Time // or when the training began
}

// description says what a model is and what it runs on.
func description(m *model.Model) string {
	name := string(m.Config.Order)
	if m.Config.Kind == model.RNNencdec {
		name = "RNNencdec without attention, " + name
	}
	if m.Config.AlignmentModel != model.Additive {
		name += ", " + string(m.Config.AlignmentModel) + " alignment model"
	}
	return fmt.Sprintf("model: %s, %.2f million weights, on %s kernels",
		name, float64(len(m.Parameters.Values))/1e6, kernels.Best())
}

// run trains until the training ends or ctx does. In the latter case it saves a checkpoint.
func (t *training) run(ctx context.Context) error {
	for {
		if reason, message := t.stop.end(t.state, t.learner.trainer.Updates()); reason != "" {
			t.report(record{Event: eventEnd, Reason: reason, Message: message})
			return nil
		}
		err := t.advance(ctx)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = t.interrupted()
		}
		if err != nil {
			t.failed(err)
			return err
		}
	}
}

// advance learns up to the end of the epoch or of the training, measures the model, and keeps it if
// it is the best. The model file is written before the checkpoint that knows of it: a program that
// ends between the two repeats the last updates and writes the same model again.
func (t *training) advance(ctx context.Context) error {
	title := t.stop.title(t.state.Epochs + 1)
	if err := t.learn(ctx, title); err != nil {
		return err
	}
	result, err := t.validator.validate(ctx, t.start, title)
	if err != nil {
		return fmt.Errorf("epoch %d: %w", t.state.Epochs+1, err)
	}
	if err := t.keep(result); err != nil {
		return err
	}
	return t.save()
}

// left returns the number of updates before the next validation.
func (t *training) left() int {
	return t.stop.left(t.learner.batcher.BatchesPerEpoch()-t.state.Batches, t.learner.trainer.Updates())
}

// learn takes the updates before the next validation.
func (t *training) learn(ctx context.Context, title string) error {
	p := t.start(title, min(t.left()*t.learner.batch, len(t.learner.examples)))
	defer p.done()
	var shown mean
	for t.left() > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		batch, loss, err := t.learner.update()
		if err != nil {
			return fmt.Errorf("epoch %d: %w", t.state.Epochs+1, err)
		}
		t.learned(batch, loss, time.Since(start))
		p.add(len(batch), shown.note(loss, targetWords(batch)))
		t.progress()
		if t.checkpoint.due(t.learner.trainer.Updates(), time.Since(t.savedAt)) {
			if err := t.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// learned adds a batch, its loss and the time that it took to where the training stands.
func (t *training) learned(batch []text.Example, loss float64, took time.Duration) {
	t.state.learned(loss, targetWords(batch), len(batch))
	t.clock.Learning += took
	t.lap.sentences += len(batch)
	t.lap.time += took
}

// keep adds a validation to where the training stands, and writes the model to its file if it is
// the best so far.
func (t *training) keep(result validation) error {
	trained := t.state
	best := t.state.validated(result, t.learner.batcher.BatchesPerEpoch(), criterion(t.stop.bestBy))
	if best {
		if err := model.Save(t.path, t.learner.trainer.Model()); err != nil {
			return t.unsaved(err)
		}
	}
	t.validated(trained, result, best)
	t.clock.Learning = 0
	return nil
}

// unsaved adds to the error of a file that cannot be written what is left to go on from.
func (t *training) unsaved(err error) error {
	if t.saved < 0 {
		return err
	}
	return fmt.Errorf("%w; the same command goes on from update %d in %s", err, t.saved, t.checkpoint.path)
}

// interrupted saves a checkpoint, unless the last one has all there is, and returns the error that
// says so.
func (t *training) interrupted() error {
	if t.saved != t.learner.trainer.Updates() {
		if err := t.save(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w after update %d: the same command goes on from there, with %s", errInterrupted, t.saved, t.checkpoint.path)
}
