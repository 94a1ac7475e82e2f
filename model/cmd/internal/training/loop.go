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

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/text"
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
