package training

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// run trains until a limit is reached, or until ctx ends: then it saves a checkpoint.
func (t *training) run(ctx context.Context) error {
	t.savedAt = time.Now()
	start := Record{Event: EventStart, Message: t.description}
	if t.resumed {
		start.Event, start.File = EventResume, t.Checkpoint
	}
	t.report(start)
	for {
		if reason, message := t.end(t.state, t.trainer.Updates()); reason != "" {
			t.report(Record{Event: EventEnd, Reason: reason, Message: message})
			return t.unlogged
		}
		if err := t.step(ctx); err != nil {
			return t.fail(err)
		}
	}
}

// openLogs begins or continues the logs.
func (t *training) openLogs() (err error) {
	t.logs = []*LogWriter{t.Log}
	if t.LogFile == "" || !t.ranks.IsRoot() {
		return nil
	}
	flag := os.O_APPEND | os.O_CREATE | os.O_RDWR
	if t.Overwrite {
		flag |= os.O_TRUNC
	}
	if t.logFile, err = os.OpenFile(t.LogFile, flag, 0o666); err != nil {
		return fmt.Errorf("--log-file: %w", err)
	}
	size, err := t.logFile.Seek(0, io.SeekEnd)
	tail := make([]byte, min(size, maxRecord))
	if err == nil && size > 0 {
		_, err = t.logFile.ReadAt(tail, size-int64(len(tail)))
	}
	if last := tail[bytes.LastIndexByte(tail, '\n')+1:]; err == nil && bytes.HasPrefix(last, []byte("{")) {
		err = t.logFile.Truncate(size - int64(len(last))) // a process was killed while it wrote
	}
	if err != nil {
		return fmt.Errorf("--log-file: %w", err)
	}
	t.logs = append(t.logs, NewLogWriter(t.logFile, JSONLog))
	return nil
}

// report logs an event. If a record cannot be written, the log ends with it, and so does the training, later, with that
// error, unless there has been no log from the beginning.
func (t *training) report(r Record) {
	r.Time = time.Now()
	r.Epoch = t.state.epoch()
	r.Update = t.trainer.Updates()
	r.Seconds = t.stopwatch.read().Seconds()
	t.logs = slices.DeleteFunc(t.logs, func(log *LogWriter) bool {
		err := log.Write(r)
		if err != nil && t.unlogged == nil && !errors.Is(err, terminal.ErrClosed) {
			t.unlogged = fmt.Errorf("the log is not complete: %w", err)
		}
		return err != nil
	})
}

// step trains up to the end of the epoch or of the training, validates, and saves.
func (t *training) step(ctx context.Context) error {
	title := t.epochTitle(t.state.Epochs + 1)
	if err := t.update(ctx, title); err != nil {
		return err
	}
	v, err := onRoot(t.ranks, func() (validation, error) { return t.validator.validate(ctx, t.Reporter.Begin, title) })
	if err != nil {
		return fmt.Errorf("epoch %d: %w", t.state.Epochs+1, err)
	}
	return t.save(v)
}

// update performs the updates before the next validation.
func (t *training) update(ctx context.Context, title string) error {
	p := t.Reporter.Begin(title, "sentences", t.sentencesLeft())
	defer p.Done()
	var recent movingLoss
	for t.updatesLeft() > 0 {
		if err := t.ranks.Agree(ctx.Err()); err != nil {
			return err
		}
		u, err := t.trainer.next(p, &recent)
		if err != nil {
			err = fmt.Errorf("epoch %d: %w", t.state.Epochs+1, err)
			if errors.Is(err, model.ErrNotFinite) { // as is the sum over all ranks
				return t.ranks.Agree(err)
			}
			return err
		}
		t.state.addUpdate(u)
		t.stopwatch.Updating += u.Time
		t.sinceProgress.add(u.throughput)
		if t.trainer.Updates()%t.ProgressUpdates == 0 {
			t.reportProgress()
		}
		due, err := t.ranks.rootSays(t.Saves.due(t.trainer.Updates(), time.Since(t.savedAt)))
		if err == nil && due {
			err = t.saveCheckpoint()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *training) updatesLeft() int {
	left := t.Limits.updatesLeft(t.batchesLeft(), t.trainer.Updates())
	if n := t.ValidUpdates; n > 0 {
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
	if t.trainer.Batcher.Varies() {
		return n * updates / t.trainer.Batcher.BatchesPerEpoch()
	}
	return min(updates*t.Batch, n)
}

func (t *training) batchesLeft() int {
	if t.trainer.Batcher.Epoch() > t.state.Epochs {
		return 0
	}
	return t.trainer.Batcher.BatchesPerEpoch() - t.state.Batches
}

func (t *training) reportProgress() {
	r := Record{
		Event: EventProgress,
		Loss:  new(t.state.Recent.value()), SentencesPerSecond: new(t.sinceProgress.Speed()),
		LearningRate: t.trainer.learningRate(),
	}
	t.meter.add(&r, t.ranks, t.trainer.Updates())
	t.report(r)
	t.state.Recent, t.sinceProgress = mean{}, throughput{}
}

// save adds a validation to the state, writes the checkpoint and, if the model is the best so far, the
// model file, and logs them.
func (t *training) save(v validation) error {
	r := Record{
		Event: EventValidation,
		Loss:  new(t.state.Loss.value()), SentencesPerSecond: new(throughput{t.state.Sentences, t.stopwatch.Updating}.Speed()),
		LearningRate: t.trainer.learningRate(), ValidationLoss: new(v.Loss), BLEU: new(v.BLEU),
	}
	t.epochMeter.add(&r, t.ranks, t.trainer.Updates())
	best := t.state.addValidation(v, t.batchesLeft() == 0, t.BestBy)
	t.stopwatch.Updating = 0
	write := t.writeCheckpoint
	if best {
		write, r.File = t.saveBest, t.Model
	}
	if err := write(); err != nil {
		return err
	}
	r.Best = new(best)
	t.report(r)
	t.report(Record{Event: EventCheckpoint, File: t.Checkpoint})
	return nil
}

// saveCheckpoint is called on all ranks.
func (t *training) saveCheckpoint() error {
	if err := t.writeCheckpoint(); err != nil {
		return err
	}
	t.report(Record{Event: EventCheckpoint, File: t.Checkpoint})
	return nil
}

func (t *training) writeCheckpoint() error {
	if !t.ranks.IsRoot() {
		return nil
	}
	t.stopwatch.read()
	encoded, err := json.Marshal(metadata{t.settings, t.state, t.stopwatch, t.trainer.Model().LongestSource, t.model})
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := t.trainer.Save(t.Checkpoint, string(encoded)); err != nil {
		return t.unsaved(err)
	}
	t.savedUpdate, t.savedAt = t.trainer.Updates(), time.Now()
	return nil
}

// unsaved adds the last checkpoint to the error of a file that cannot be written.
func (t *training) unsaved(err error) error {
	if t.savedUpdate < 0 {
		return err
	}
	return fmt.Errorf("%w; run %s to resume from update %d in %s", err, t.command(), t.savedUpdate, t.Checkpoint)
}

// command returns what resumes the training.
func (t *training) command() string {
	if t.Overwrite {
		return "the same command without --overwrite"
	}
	return "the same command"
}

// fail logs the end of a training by err and returns the error of the command. If that is the end of the context, it
// saves a checkpoint first.
func (t *training) fail(err error) error {
	reason := ReasonError
	if errors.Is(err, context.Canceled) {
		if err = t.interrupted(); errors.Is(err, terminal.ErrInterrupted) {
			reason = ReasonInterrupted
		}
	}
	t.report(Record{Event: EventEnd, Reason: reason, Message: err.Error()})
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
	return fmt.Errorf("%w after update %d: run %s to resume from %s", terminal.ErrInterrupted, t.savedUpdate, t.command(), t.Checkpoint)
}
