package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// A note is what the command puts into a checkpoint beside the state of the trainer.
type note struct {
	Settings settings
	State    state
	Clock    clock
}

// checkpointOptions are the flags of train that say where and when to save checkpoints.
type checkpointOptions struct {
	path             string
	updates, minutes int // between two of them, 0 for no limit
}

func (o *checkpointOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.path, "checkpoint", "", "`file` to go on from (default that of --model with .checkpoint added)")
	f.IntVar(&o.updates, "checkpoint-updates", 0, "updates from one checkpoint to the next, 0 to save by time alone")
	f.IntVar(&o.minutes, "checkpoint-minutes", 10, "minutes from one checkpoint to the next, 0 to save by updates alone")
}

func (o *checkpointOptions) check() error {
	return checkNumbers(
		number{"checkpoint-updates", o.updates, 0, 1_000_000_000},
		number{"checkpoint-minutes", o.minutes, 0, 1_000_000},
	)
}

// due reports whether a checkpoint is to be saved after so many updates, at some time since the
// last one.
func (o *checkpointOptions) due(updates int, since time.Duration) bool {
	return o.updates > 0 && updates%o.updates == 0 ||
		o.minutes > 0 && since >= time.Duration(o.minutes)*time.Minute
}

// readCheckpoint returns the note of the checkpoint at path, or nil if there is no file. The
// settings must be those of the checkpoint.
func readCheckpoint(path string, s settings, flags *pflag.FlagSet) (*note, error) {
	encoded, err := model.CheckpointNote(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, model.ErrCheckpoint) || errors.Is(err, safetensors.ErrFormat) {
		return nil, fmt.Errorf("--checkpoint: %w; expected a checkpoint or no file", err)
	}
	if err != nil {
		return nil, refused(path, err)
	}
	n := new(note)
	if err := json.Unmarshal([]byte(encoded), n); err != nil {
		return nil, refused(path, fmt.Errorf("%s: note: %w", path, err))
	}
	if list := s.differences(flags, n.Settings); list != nil {
		return nil, refused(path, errors.New(strings.Join(list, "; ")))
	}
	return n, nil
}

// refused returns the error of a checkpoint that a training cannot go on from.
func refused(path string, err error) error {
	return fmt.Errorf("%w; to start afresh, delete %s", err, path)
}

// resume goes on from the checkpoint with that note.
func (t *training) resume(n *note) error {
	path := t.checkpoint.path
	if _, err := t.learner.trainer.Load(path); err != nil {
		return refused(path, err)
	}
	if err := t.learner.seek(n.State.Epochs, n.State.Batches); err != nil {
		return refused(path, fmt.Errorf("%s: %w", path, err))
	}
	if b := n.State.Best; b != nil {
		if _, err := os.Stat(t.path); err != nil {
			return refused(path, fmt.Errorf("--model: %w, expected the best model so far, of epoch %d", err, b.Epoch))
		}
	}
	t.state, t.clock = n.State, n.Clock
	t.saved = t.learner.trainer.Updates()
	return nil
}

// save writes a checkpoint.
func (t *training) save() error {
	t.clock.read()
	encoded, err := json.Marshal(note{t.settings, t.state, t.clock})
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := t.learner.trainer.Save(t.checkpoint.path, string(encoded)); err != nil {
		return t.unsaved(err)
	}
	t.saved, t.savedAt = t.learner.trainer.Updates(), time.Now()
	t.report(record{Event: eventCheckpoint, File: t.checkpoint.path})
	return nil
}
