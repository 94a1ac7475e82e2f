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
	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// checkpointOptions are the flags of train that say where and when to save checkpoints.
type checkpointOptions struct {
	path             string
	updates, minutes int // between two checkpoints, 0 for no limit
}

func (o *checkpointOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.path, "checkpoint", "", "`file` to save checkpoints to and to resume from (default --model with .checkpoint appended)")
	f.IntVar(&o.updates, "checkpoint-updates", 0, "updates between two checkpoints, 0 to save by time only")
	f.IntVar(&o.minutes, "checkpoint-minutes", 10, "minutes between two checkpoints, 0 to save by updates only")
}

// complete sets the default path.
func (o *checkpointOptions) complete(modelFile string) {
	if o.path == "" {
		o.path = modelFile + ".checkpoint"
	}
}

func (o *checkpointOptions) check() error {
	return checkNumbers(
		number{"checkpoint-updates", o.updates, 0, 1_000_000_000},
		number{"checkpoint-minutes", o.minutes, 0, 1_000_000},
	)
}

// due reports whether to save a checkpoint after that many updates in all, at that time since the
// last one.
func (o *checkpointOptions) due(updates int, since time.Duration) bool {
	return o.updates > 0 && updates%o.updates == 0 ||
		o.minutes > 0 && since >= time.Duration(o.minutes)*time.Minute
}

// checkpointMetadata is what train adds to the checkpoint of a model.Trainer, as JSON.
type checkpointMetadata struct {
	Settings      settings
	State         trainState
	Stopwatch     stopwatch `json:"Clock"`
	LongestSource int       `json:",omitempty"` // of the model, 0 in older checkpoints
	bestModel
}

// readCheckpoint returns the metadata of the checkpoint to resume from, or nil to start afresh. The
// error lists the settings that differ from s.
func (o *trainOptions) readCheckpoint(s settings, flags *pflag.FlagSet) (*checkpointMetadata, error) {
	m, err := led(o.ranks, o.readMetadata)
	if m == nil || err != nil {
		return nil, err
	}
	o.keepTokenizer(flags, s, m.Settings)
	if list := s.differences(flags, m.Settings); list != nil {
		return nil, rejected(o.checkpoint.path, errors.New(strings.Join(list, "; ")))
	}
	return m, nil
}

// readMetadata returns the metadata of the checkpoint, or nil to start afresh.
func (o *trainOptions) readMetadata() (*checkpointMetadata, error) {
	path := o.checkpoint.path
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if o.overwrite {
		if err := files.Checkpoints.CheckReplace(path, true); err != nil {
			return nil, fmt.Errorf("--checkpoint %w", err)
		}
		return nil, nil
	}
	m := new(checkpointMetadata)
	encoded, err := model.CheckpointNote(path)
	if err == nil {
		if jsonErr := json.Unmarshal([]byte(encoded), m); jsonErr != nil {
			err = fmt.Errorf("%s: metadata: %w", path, jsonErr)
		}
	}
	switch {
	case err != nil && files.Checkpoints.Is(path):
		return nil, rejected(path, err)
	case err != nil:
		return nil, fmt.Errorf("--checkpoint: %w; expected a checkpoint or no file", err)
	}
	return m, nil
}

// keepTokenizer goes on with the tokenizer of a checkpoint without --tokenizer, whose settings stay as
// they are.
func (o *trainOptions) keepTokenizer(flags *pflag.FlagSet, s, checkpoint settings) {
	const name = "tokenizer"
	if _, ok := checkpoint[name]; ok {
		return
	}
	if !flags.Changed(name) {
		o.corpus.Tokenizer = formerDefaults[name]
	}
	if o.corpus.Tokenizer == formerDefaults[name] {
		delete(s, name)
	}
}

// rejected returns the error for a checkpoint that train cannot resume from.
func rejected(path string, err error) error {
	return fmt.Errorf("%w; to start over, choose another --model, or replace this one and %s with --overwrite", err, path)
}
