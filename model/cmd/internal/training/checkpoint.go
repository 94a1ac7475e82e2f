package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/internal/regular"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// Saves say when to save a checkpoint: after a number of updates, of minutes or of either, unless it is 0.
type Saves struct{ Updates, Minutes int }

// due reports whether to save a checkpoint after that many updates in all, at that time since the
// last one.
func (s Saves) due(updates int, since time.Duration) bool {
	return s.Updates > 0 && updates%s.Updates == 0 ||
		s.Minutes > 0 && since >= time.Duration(s.Minutes)*time.Minute
}

// A note is what train adds to the checkpoint of a model.Trainer, as JSON.
type note struct {
	Settings      Settings
	State         trainState
	Stopwatch     stopwatch `json:"Clock"`
	LongestSource int       `json:",omitempty"` // of the model, 0 in older checkpoints
	bestModel
}

// readNote returns the note of the checkpoint to resume from, or nil to start afresh.
func (o *Options) readNote() (*note, error) {
	path := o.Checkpoint
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if o.Overwrite {
		if err := files.Checkpoints.CheckReplace(path, true); err != nil {
			return nil, fmt.Errorf("--checkpoint %w", err)
		}
		return nil, nil
	}
	n := new(note)
	encoded, err := model.CheckpointNote(path)
	if err == nil {
		if jsonErr := json.Unmarshal([]byte(encoded), n); jsonErr != nil {
			err = fmt.Errorf("%s: metadata: %w", path, jsonErr)
		}
	}
	switch {
	case err != nil && files.Checkpoints.Is(path):
		return nil, o.Reject(err)
	case err != nil:
		return nil, fmt.Errorf("--checkpoint: %w; expected a checkpoint or no file", err)
	}
	return n, nil
}

// Reject returns the error for a checkpoint that the training cannot resume from because of err.
func (o *Options) Reject(err error) error {
	return fmt.Errorf("%w; to start over, choose another --model, or replace this one and %s with --overwrite", err, o.Checkpoint)
}

// checkReplace returns an error if a new training must not replace the model file, and otherwise the
// digest of the model to replace, or "" if there is no file.
func (o *Options) checkReplace() (digest string, err error) {
	if err := files.Models.CheckReplace(o.Model, o.Overwrite); err != nil {
		return "", fmt.Errorf("--model %w", err)
	}
	digest, err = safetensors.Digest(o.Model)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return digest, err
}

// A bestModel identifies the model file, whose path is not part of it. It is part of the checkpoint,
// which is written before the model file gets its name: of a killed training, the file may still be
// the one before.
type bestModel struct {
	Digest string `json:"Model,omitempty"`       // of the best model, see safetensors.Digest; "" before the first validation
	Before string `json:"ModelBefore,omitempty"` // of the model in the file before that one, "" if there was none
}

func (b bestModel) next(digest string) bestModel {
	if b.Digest != "" {
		return bestModel{digest, b.Digest}
	}
	return bestModel{digest, b.Before}
}

func (b bestModel) present() string {
	if b.Digest != "" {
		return b.Digest
	}
	return b.Before
}

// saveBest writes the model to the model file and the state, which has its validation, to the
// checkpoint. A program that is killed between the two can restore the model from the checkpoint,
// see restoreBest.
func (t *training) saveBest() error {
	if !t.ranks.IsRoot() {
		return nil
	}
	// A file that has been moved away is no loss; one that has come in its place would be.
	if digest, err := safetensors.Digest(t.Model); !errors.Is(err, fs.ErrNotExist) && (err != nil || digest != t.best.present()) {
		return t.unsaved(fmt.Errorf("--model %s: replaced by another program during the training, expected the model of the last checkpoint", t.Model))
	}
	out, digest, err := t.writeModel()
	if err != nil {
		return t.unsaved(err)
	}
	defer out.Close()
	t.best = t.best.next(digest)
	if err := t.writeCheckpoint(); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return t.unsaved(fmt.Errorf("save %s: %w", t.Model, err))
	}
	return nil
}

// writeModel writes the model to an output that the caller must commit and close, and returns its digest. The output
// replaces a file only if the training has one.
func (t *training) writeModel() (out *files.Output, digest string, err error) {
	if out, err = files.Create(t.Model, t.best.present() != ""); err != nil {
		return nil, "", fmt.Errorf("save %w", err)
	}
	if err = model.Write(out, t.trainer.Model()); err != nil {
		err = fmt.Errorf("save %s: %w", t.Model, err)
	} else {
		digest, err = safetensors.Digest(out.Name())
	}
	if err != nil {
		out.Close()
	}
	return out, digest, err
}

// checkBest compares the model file with the checkpoint that the training resumes from. It reports
// whether the file must be restored.
func (t *training) checkBest() (restore bool, err error) {
	best := t.state.Best
	digest, err := safetensors.Digest(t.Model)
	missing := errors.Is(err, fs.ErrNotExist)
	atBest := best != nil && t.best.Digest != "" && t.state.SinceBest == 0 && t.state.validated()
	before := missing || err == nil && digest == t.best.Before
	switch {
	case best == nil && before:
		return false, nil
	case best == nil:
		return false, fmt.Errorf("--model %s: %w, and is not of the training in %s, which has no model yet; expected no file", t.Model, files.ErrExists, t.Checkpoint)
	case atBest && before:
		return true, nil
	case missing:
		return false, t.Reject(fmt.Errorf("--model: %w, expected the best model so far, of epoch %d", err, best.Epoch))
	case err == nil && t.best.Digest != "" && digest != t.best.Digest:
		return false, fmt.Errorf("--model %s: another model than that of %s, expected the best model so far, of epoch %d", t.Model, t.Checkpoint, best.Epoch)
	case err == nil:
		var f *safetensors.Reader
		if f, err = safetensors.OpenVerified(t.Model); err == nil {
			f.Close()
		}
	}
	if err != nil {
		return false, fmt.Errorf("--model: %w; expected the best model so far, of epoch %d", err, best.Epoch)
	}
	t.best.Digest = digest // a checkpoint of before has none
	return false, nil
}

// restoreBest writes the model file from the checkpoint just loaded, which has the weights of the
// best model.
func (t *training) restoreBest() error {
	out, digest, err := t.writeModel()
	if err != nil {
		return err
	}
	defer out.Close()
	if digest != t.best.Digest {
		return t.Reject(fmt.Errorf("--model %s: cannot be restored from %s", t.Model, t.Checkpoint))
	}
	if err := out.Commit(); err != nil {
		return fmt.Errorf("save %s: %w", t.Model, err)
	}
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
				return fmt.Errorf("--%s %s: %w, and read for --%s already; expected another file", flag, path, regular.Err, o.inputFlags[i])
			}
		}
	}
	o.Inputs, o.inputFlags = append(o.Inputs, path), append(o.inputFlags, flag)
	return nil
}

// CheckOutputs returns an error if the model file, the checkpoint, the cache or the log file cannot be
// written, is an input or another output, is a model of int8, which has no training to go on with, or is not
// a log.
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
		if err := regular.CheckPath(out.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--%s %w", out.flag, err)
		}
		if isInt8Model(out.path) {
			return fmt.Errorf("--%s %s: weights of int8 cannot be trained; keep the float32 model, train that, and quantize it again", out.flag, out.path)
		}
	}
	return o.checkLog()
}

// checkLog returns an error if there is a file for the log that is not empty and does not begin like one.
func (o *Options) checkLog() error {
	f, err := os.Open(o.LogFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	begin := make([]byte, len(logBegin))
	if n, err := io.ReadFull(f, begin); err != io.EOF && string(begin[:n]) != logBegin {
		return fmt.Errorf("--log-file %s: is not a log of train, expected one or a new file", o.LogFile)
	}
	return nil
}

// isInt8Model reports whether the file at path is a model with weights of int8, as its header says.
func isInt8Model(path string) bool {
	metadata, err := safetensors.Metadata(path)
	var c model.Config
	return err == nil && files.Models.Is(path) && json.Unmarshal([]byte(metadata["config"]), &c) == nil && c.Weights == model.Int8
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
		if l, err = files.NewLock(out.path, o.Inputs...); err != nil {
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
