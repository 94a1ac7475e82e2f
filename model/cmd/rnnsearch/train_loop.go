package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
)

// A training alternates between updates and validations, keeps the best model in the model file, and
// saves checkpoints.
type training struct {
	settings        settings
	modelFile       string
	checkpoint      checkpointOptions
	stop            stopOptions
	progressUpdates int // between two progress records
	validUpdates    int // between two validations, 0 to validate after epochs only
	progress        terminal.Start
	log             *trainlog.Writer
	trainer         *trainer
	corpus          *corpus.Corpus
	validator       *validator
	description     string // of the text and the model
	again           string // names the command that resumes
	ranks           *ranks

	state         trainState
	stopwatch     stopwatch
	best          bestModel
	resumed       bool
	sinceProgress throughput   // since the last progress record or the start of the program
	meter         trafficMeter // since the last progress record
	epochMeter    trafficMeter // since the last validation
	savedUpdate   int          // of the last checkpoint, -1 before the first one
	savedAt       time.Time    // of the last checkpoint or the start of the program
}

// run trains until a limit is reached, or until ctx ends: then it saves a checkpoint.
func (t *training) run(ctx context.Context) error {
	t.savedAt = time.Now()
	start := trainlog.Record{Event: trainlog.EventStart, Message: t.description}
	if t.resumed {
		start.Event, start.File = trainlog.EventResume, t.checkpoint.path
	}
	t.report(start)
	for {
		if reason, message := t.stop.end(t.state, t.trainer.Updates()); reason != "" {
			t.report(trainlog.Record{Event: trainlog.EventEnd, Reason: reason, Message: message})
			return nil
		}
		if err := t.step(ctx); err != nil {
			return t.fail(ctx, err)
		}
	}
}

// close ends the goroutines of the training and closes its text.
func (t *training) close() {
	t.validator.close()
	t.trainer.close()
	t.corpus.Close()
}

// resume loads the checkpoint, whose state the training has. Ranks other than 0 get it from there, see
// ranks.start.
func (t *training) resume() error {
	if t.resumed = true; !t.ranks.leads() {
		return nil
	}
	path := t.checkpoint.path
	if _, err := t.trainer.Load(path); err != nil {
		return rejected(path, err)
	}
	if err := t.trainer.seek(t.state.Epochs, t.state.Batches); err != nil {
		return rejected(path, fmt.Errorf("%s: %w", path, err))
	}
	t.savedUpdate = t.trainer.Updates()
	return nil
}

// report logs an event. Training continues if the record cannot be written.
func (t *training) report(r trainlog.Record) {
	r.Time = time.Now()
	r.Epoch = t.state.epoch()
	r.Update = t.trainer.Updates()
	r.Seconds = t.stopwatch.read().Seconds()
	t.log.Write(r)
}

// step trains up to the end of the epoch or of the training, validates, and saves.
func (t *training) step(ctx context.Context) error {
	title := t.stop.epochTitle(t.state.Epochs + 1)
	if err := t.update(ctx, title); err != nil {
		return err
	}
	v, err := led(t.ranks, func() (validation, error) { return t.validator.validate(ctx, t.progress, title) })
	if err != nil {
		return fmt.Errorf("epoch %d: %w", t.state.Epochs+1, err)
	}
	return t.save(v)
}

// update performs the updates before the next validation.
func (t *training) update(ctx context.Context, title string) error {
	p := t.progress(title, "sentences", t.sentencesLeft())
	defer p.Done()
	var recent movingLoss
	for t.updatesLeft() > 0 {
		if err := t.ranks.agree(ctx.Err()); err != nil {
			return err
		}
		start := time.Now()
		batch, loss, err := t.trainer.next()
		if err != nil {
			err = fmt.Errorf("epoch %d: %w", t.state.Epochs+1, err)
			if errors.Is(err, model.ErrNotFinite) { // as is the sum over all ranks
				return t.ranks.agree(err)
			}
			return err
		}
		elapsed, words := time.Since(start), targetWords(batch)
		t.state.addBatch(loss, words, len(batch))
		t.stopwatch.Updating += elapsed
		t.sinceProgress.add(len(batch), elapsed)
		recent.add(loss, words)
		p.Add(len(batch), recent.String())
		if t.trainer.Updates()%t.progressUpdates == 0 {
			t.reportProgress()
		}
		if t.checkpoint.due(t.trainer.Updates(), time.Since(t.savedAt)) {
			if err := t.saveCheckpoint(); err != nil {
				return err
			}
		}
	}
	return nil
}

// updatesLeft returns the number of updates before the next validation.
func (t *training) updatesLeft() int {
	left := t.stop.updatesLeft(t.batchesLeft(), t.trainer.Updates())
	if n := t.validUpdates; n > 0 {
		since := t.trainer.Updates() % n
		if since == 0 && !t.state.validated() {
			return 0
		}
		left = min(left, n-since)
	}
	return left
}

// sentencesLeft returns about the number of sentences before the next validation.
func (t *training) sentencesLeft() int {
	updates, n := t.updatesLeft(), t.corpus.Train.Len()
	if t.trainer.batcher.Varies() {
		return n * updates / t.trainer.batcher.BatchesPerEpoch()
	}
	return min(updates*t.trainer.batchSize, n)
}

// batchesLeft returns the number of batches before the end of the epoch.
func (t *training) batchesLeft() int {
	if t.trainer.batcher.Epoch() > t.state.Epochs {
		return 0
	}
	return t.trainer.batcher.BatchesPerEpoch() - t.state.Batches
}

// reportProgress logs the updates since the last progress record.
func (t *training) reportProgress() {
	r := trainlog.Record{
		Event: trainlog.EventProgress,
		Loss:  new(t.state.Recent.value()), SentencesPerSecond: new(t.sinceProgress.speed()),
		LearningRate: t.trainer.learningRate(),
	}
	t.meter.add(&r, t.ranks, t.trainer.Updates())
	t.report(r)
	t.state.Recent, t.sinceProgress = mean{}, throughput{}
}

// save adds a validation to the state, writes the checkpoint and, if the model is the best so far, the
// model file, and logs them.
func (t *training) save(v validation) error {
	r := trainlog.Record{
		Event: trainlog.EventValidation,
		Loss:  new(t.state.Loss.value()), SentencesPerSecond: new(throughput{t.state.Sentences, t.stopwatch.Updating}.speed()),
		LearningRate: t.trainer.learningRate(), ValidationLoss: new(v.Loss), BLEU: new(v.BLEU),
	}
	t.epochMeter.add(&r, t.ranks, t.trainer.Updates())
	best := t.state.addValidation(v, t.batchesLeft() == 0, criterion(t.stop.bestBy))
	t.stopwatch.Updating = 0
	write := t.writeCheckpoint
	if best {
		write, r.File = t.saveBest, t.modelFile
	}
	if err := write(); err != nil {
		return err
	}
	r.Best = new(best)
	t.report(r)
	t.reportCheckpoint()
	return nil
}

// saveCheckpoint writes and logs the checkpoint.
func (t *training) saveCheckpoint() error {
	if err := t.writeCheckpoint(); err != nil {
		return err
	}
	t.reportCheckpoint()
	return nil
}

// writeCheckpoint writes the checkpoint.
func (t *training) writeCheckpoint() error {
	if !t.ranks.leads() {
		return nil
	}
	t.stopwatch.read()
	metadata, err := json.Marshal(checkpointMetadata{t.settings, t.state, t.stopwatch, t.trainer.Model().LongestSource, t.best})
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := t.trainer.Save(t.checkpoint.path, string(metadata)); err != nil {
		return t.unsaved(err)
	}
	t.savedUpdate, t.savedAt = t.trainer.Updates(), time.Now()
	return nil
}

func (t *training) reportCheckpoint() {
	t.report(trainlog.Record{Event: trainlog.EventCheckpoint, File: t.checkpoint.path})
}

// unsaved adds the last checkpoint to the error of a file that cannot be written.
func (t *training) unsaved(err error) error {
	if t.savedUpdate < 0 {
		return err
	}
	return fmt.Errorf("%w; run %s to resume from update %d in %s", err, t.again, t.savedUpdate, t.checkpoint.path)
}

// fail logs the end of a training by err and returns the error of the command. If ctx has ended, it
// saves a checkpoint first.
func (t *training) fail(ctx context.Context, err error) error {
	reason := trainlog.ReasonError
	if errors.Is(err, context.Canceled) {
		if err = t.interrupted(); errors.Is(err, terminal.ErrInterrupted) {
			reason = trainlog.ReasonInterrupted
		}
	}
	t.report(trainlog.Record{Event: trainlog.EventEnd, Reason: reason, Message: err.Error()})
	return err
}

// interrupted saves a checkpoint, unless the last one is up to date or there was no update, and
// returns an error that wraps terminal.ErrInterrupted.
func (t *training) interrupted() error {
	if t.trainer.Updates() == 0 {
		return terminal.ErrInterrupted
	}
	if t.savedUpdate != t.trainer.Updates() {
		if err := t.saveCheckpoint(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w after update %d: run %s to resume from %s", terminal.ErrInterrupted, t.savedUpdate, t.again, t.checkpoint.path)
}
