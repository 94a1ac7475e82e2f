package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/safetensors"
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
	Settings  settings
	State     trainState
	Stopwatch stopwatch `json:"Clock"`
}

// readCheckpoint returns the metadata of the checkpoint at path, or nil if there is no file. The
// error lists the settings that differ from s.
func readCheckpoint(path string, s settings, flags *pflag.FlagSet) (*checkpointMetadata, error) {
	encoded, err := model.CheckpointNote(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, model.ErrCheckpoint) || errors.Is(err, safetensors.ErrFormat) {
		return nil, fmt.Errorf("--checkpoint: %w; expected a checkpoint or no file", err)
	}
	if err != nil {
		return nil, rejected(path, err)
	}
	m := new(checkpointMetadata)
	if err := json.Unmarshal([]byte(encoded), m); err != nil {
		return nil, rejected(path, fmt.Errorf("%s: metadata: %w", path, err))
	}
	if list := s.differences(flags, m.Settings); list != nil {
		return nil, rejected(path, errors.New(strings.Join(list, "; ")))
	}
	return m, nil
}

// rejected returns the error for a checkpoint that train cannot resume from.
func rejected(path string, err error) error {
	return fmt.Errorf("%w; to start over, delete %s", err, path)
}

// checkOutputs returns an error if the files of a training cannot be written, and removes the
// temporary files of killed programs.
func checkOutputs(modelFile, checkpoint string) error {
	if sameFile(checkpoint, modelFile) {
		return fmt.Errorf("--checkpoint %s: same file as --model", checkpoint)
	}
	for _, file := range []struct{ flag, path string }{{"model", modelFile}, {"checkpoint", checkpoint}} {
		if err := checkWritable(file.flag, file.path); err != nil {
			return err
		}
		if err := removeTemporaries(file.path); err != nil {
			return err
		}
	}
	return nil
}

// sameFile reports whether two paths name the same file, which need not exist. It does not follow
// links.
func sameFile(a, b string) bool {
	first, err := filepath.Abs(a)
	second, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && first == second
}

// checkWritable returns an error if no file can be written at path, the value of a flag.
func checkWritable(flag, path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("--%s %s: is a folder, expected a file", flag, path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("--%s %s: cannot be written: %w", flag, path, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// removeTemporaries removes the temporary files that a killed program left beside path.
func removeTemporaries(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	name := regexp.MustCompile("^" + regexp.QuoteMeta(filepath.Base(path)) + `\.[0-9a-f]+\.tmp$`)
	for _, e := range entries {
		if !name.MatchString(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return err
		}
	}
	return nil
}
