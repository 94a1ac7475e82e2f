package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/internal/atomic"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// A trainState is how far a training has come, beside the state of its model.Trainer. It is part of
// the checkpoint, and depends only on the settings, on --progress-updates, and on the values of
// --updates at which earlier runs ended.
type trainState struct {
	Epochs    int             // completed, with their validation
	Batches   int             // completed in the current epoch
	Loss      mean            // since the last validation
	Recent    mean            // loss since the last progress record
	Sentences int             // since the last validation
	Best      *bestValidation `json:",omitempty"` // nil before the first validation
	SinceBest int             // validations since Best
}

type bestValidation struct {
	Epoch int // from 1
	validation
}

// epoch returns the number of the current epoch, from 1, or of the last one if none has begun after
// it.
func (s *trainState) epoch() int {
	if s.Batches == 0 && s.Epochs > 0 {
		return s.Epochs
	}
	return s.Epochs + 1
}

func (s *trainState) addUpdate(u update) {
	s.Batches++
	s.Loss.add(u.loss, u.words)
	s.Recent.add(u.loss, u.words)
	s.Sentences += u.Sentences
}

func (s *trainState) validated() bool { return s.Sentences == 0 }

// addValidation adds a validation and reports whether it is the best so far. It completes the epoch
// if its last batch is.
func (s *trainState) addValidation(v validation, lastBatch bool, by Criterion) (best bool) {
	s.Loss, s.Sentences = mean{}, 0
	if lastBatch {
		s.Epochs, s.Batches = s.Epochs+1, 0
	}
	if s.Best != nil && !v.better(s.Best.validation, by) {
		s.SinceBest++
		return false
	}
	s.Best, s.SinceBest = &bestValidation{s.epoch(), v}, 0
	return true
}

// A stopwatch measures a training across restarts. It is part of the checkpoint.
type stopwatch struct {
	Training time.Duration // total, up to the last read
	Updating time.Duration // of the updates since the last validation
	last     time.Time
}

func (s *stopwatch) read() time.Duration {
	now := time.Now()
	if !s.last.IsZero() {
		s.Training += now.Sub(s.last)
	}
	s.last = now
	return s.Training
}

// Limits say when a training ends; 0 is no limit.
type Limits struct {
	Epochs, Updates int
	Patience        int // consecutive validations without a better model
}

// updatesLeft returns the number of updates before the end of the epoch or of the training. The
// epoch has that many batches left, and updates is the number of updates so far.
func (l Limits) updatesLeft(batchesLeft, updates int) int {
	if l.Updates == 0 {
		return batchesLeft
	}
	return min(batchesLeft, max(0, l.Updates-updates))
}

// end returns the reason to end a training in state s, after that many updates, and a message, or ""
// if it continues. A training that --updates ends validates after the last update.
func (l Limits) end(s trainState, updates int) (reason, message string) {
	switch {
	case l.Updates > 0 && updates >= l.Updates && s.validated():
		return ReasonUpdates, fmt.Sprintf("complete after %s; a higher --updates continues", terminal.Plural(updates, "update"))
	case l.Patience > 0 && s.SinceBest >= l.Patience:
		return ReasonPatience, fmt.Sprintf("complete after %s: no better model in %s; a higher --patience continues",
			terminal.Plural(s.Epochs, "epoch"), terminal.Plural(s.SinceBest, "validation"))
	case l.Epochs > 0 && s.Epochs >= l.Epochs:
		return ReasonEpochs, fmt.Sprintf("complete after %s; a higher --epochs continues", terminal.Plural(s.Epochs, "epoch"))
	}
	return "", ""
}

func (l Limits) epochTitle(epoch int) string {
	if l.Epochs == 0 {
		return fmt.Sprintf("epoch %d", epoch)
	}
	return fmt.Sprintf("epoch %d of %d", epoch, l.Epochs)
}

// Saves say when to save a checkpoint: after a number of updates, of minutes or of either, unless it is 0.
type Saves struct{ Updates, Minutes int }

// due reports whether to save a checkpoint after that many updates in all, at that time since the
// last one.
func (s Saves) due(updates int, since time.Duration) bool {
	return s.Updates > 0 && updates%s.Updates == 0 ||
		s.Minutes > 0 && since >= time.Duration(s.Minutes)*time.Minute
}

// Metadata is what train adds to the checkpoint of a model.Trainer, as JSON.
type metadata struct {
	Settings      Settings
	State         trainState
	Stopwatch     stopwatch
	LongestSource int    // of the model
	Model         string // digest of the file that the best model replaces
}

// readMetadata returns the metadata of the checkpoint to resume from, or nil to start afresh.
func (o *Options) readMetadata() (*metadata, error) {
	path := o.Checkpoint
	if _, err := os.Stat(path); o.Overwrite || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := new(metadata)
	encoded, err := model.CheckpointNote(path)
	if err == nil {
		if jsonErr := json.Unmarshal([]byte(encoded), m); jsonErr != nil {
			err = fmt.Errorf("%s: metadata: %w", path, jsonErr)
		}
	}
	switch {
	case err != nil && models.IsCheckpoint(path):
		return nil, o.Rejected(err)
	case err != nil:
		return nil, fmt.Errorf("--checkpoint: %w; expected a checkpoint or no file", err)
	}
	return m, nil
}

// Rejected returns the error for a checkpoint that the training cannot resume from because of err.
func (o *Options) Rejected(err error) error {
	return fmt.Errorf("%w; to start over, choose another --model, or replace this one and %s with --overwrite", err, o.Checkpoint)
}

// checkModel returns an error if the model file is not what a training finds that begins, or resumes with that best
// validation so far.
func (t *training) checkModel() error {
	_, err := os.Stat(t.Model)
	missing := errors.Is(err, fs.ErrNotExist)
	switch best := t.state.Best; {
	case !t.resumed && !missing:
		if err := files.CheckOutput(t.Model, t.Overwrite); err != nil {
			return fmt.Errorf("--model %w", err)
		}
		t.model, _ = safetensors.Digest(t.Model) // "" for a file that has none
	case best != nil && missing:
		return t.Rejected(fmt.Errorf("--model: %w, expected the best model so far, of epoch %d", err, best.Epoch))
	}
	return nil
}

// saveBest writes the model file, and then the state, which has its validation, to the checkpoint. A training that is
// killed in between gets to the same validation again, and finds the file that it would write.
func (t *training) saveBest() error {
	if !t.ranks.IsRoot() {
		return nil
	}
	t.trainer.Model().Search = t.validator.search()
	if err := t.writeModel(); err != nil {
		return t.unsaved(err)
	}
	return t.writeCheckpoint()
}

func (t *training) writeModel() error {
	out, err := atomic.Create(t.Model)
	if err != nil {
		return fmt.Errorf("save %w", err)
	}
	defer out.Close()
	err = model.Write(out, t.trainer.Model())
	var digest string
	if err == nil {
		digest, err = safetensors.Digest(out.Name())
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", t.Model, err)
	}
	present, err := safetensors.Digest(t.Model)
	begins := t.Overwrite && t.model == ""
	switch {
	case present == digest:
	case !errors.Is(err, fs.ErrNotExist) && (present != t.model || err != nil && !begins):
		return fmt.Errorf("--model %s: replaced by another program during the training, expected the model of the last checkpoint", t.Model)
	default:
		if err := out.Commit(t.model != "" || begins); err != nil {
			return fmt.Errorf("save %s: %w", t.Model, err)
		}
	}
	t.model = digest
	return nil
}

// An outputFile is a file that a training writes, and the flag that names it.
type outputFile struct{ flag, path string }

func (o *Options) outputs() []outputFile {
	return []outputFile{{"model", o.Model}, {"checkpoint", o.Checkpoint}}
}

// AddInput adds a file that a flag names to read, unless path is empty. It returns an error if another
// flag names the same pipe or device: each would get a part of the text.
func (o *Options) AddInput(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		for i, other := range o.Inputs {
			if files.Same(path, other) {
				return fmt.Errorf("--%s %s: %w, and read for --%s already; expected another file", flag, path, atomic.ErrNotRegular, o.inputFlags[i])
			}
		}
	}
	o.Inputs, o.inputFlags = append(o.Inputs, path), append(o.inputFlags, flag)
	return nil
}

// CheckOutputs returns an error if the model file, the checkpoint, the cache or the log file cannot be
// written, or is an input or another output.
func (o *Options) CheckOutputs(cache string) error {
	list := append(o.outputs(), outputFile{"cache", cache})
	if o.LogFile != "" {
		list = append(list, outputFile{"log-file", o.LogFile})
	}
	for i, out := range list {
		for _, other := range list[:i] {
			if files.Same(out.path, other.path) {
				return fmt.Errorf("--%s %s: same file as --%s", out.flag, out.path, other.flag)
			}
		}
	}
	for _, out := range list {
		if err := files.CheckOutput(out.path, true, o.Inputs...); err != nil {
			return fmt.Errorf("--%s %w", out.flag, err)
		}
		if info, err := os.Stat(out.path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("--%s %s: %w", out.flag, out.path, atomic.ErrNotRegular)
		}
	}
	for _, out := range o.outputs() {
		if err := files.CheckReplaced(out.path, true); err != nil && o.Overwrite {
			return fmt.Errorf("--%s %w", out.flag, err)
		}
	}
	return nil
}

// lock keeps other processes from training with the same files, until unlock. It removes the incomplete
// files of a killed process.
func (o *Options) lock(r *Ranks) (unlock func(), err error) {
	var locks []*files.Lock
	unlock = func() {
		for _, l := range locks {
			l.Unlock() // a lock file that stays locks nothing
		}
	}
	for _, out := range o.outputs() {
		if o.NoLock || !r.IsRoot() {
			break
		}
		var l *files.Lock
		if l, err = files.NewLock(out.path); err != nil {
			err = fmt.Errorf("--%s %w", out.flag, err)
			break
		}
		locks = append(locks, l)
	}
	if err = r.Agree(err); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}
