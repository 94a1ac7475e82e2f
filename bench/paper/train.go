package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/softsearch-go/softsearch/model"
)

// A trainer runs the command rnnsearch in a folder that has the corpus and gets models and logs.
type trainer struct {
	folder   string
	settings string // absolute path of the file of those that all systems share
	batch    int    // in them, as hidden and updates
	hidden   int
	updates  int
	stderr   io.Writer
}

// newTrainer returns a trainer by the settings of a file, which have batch, hidden and updates.
func newTrainer(folder, settings string, stderr io.Writer) (*trainer, error) {
	encoded, err := os.ReadFile(settings)
	if err != nil {
		return nil, err
	}
	var s struct{ Batch, Hidden, Updates int }
	if err := json.Unmarshal(encoded, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", settings, err)
	}
	if min(s.Batch, s.Hidden, s.Updates) < 1 {
		return nil, fmt.Errorf("%s: expected batch, hidden and updates, from 1 on", settings)
	}
	path, err := filepath.Abs(settings)
	return &trainer{folder, path, s.Batch, s.Hidden, s.Updates, stderr}, err
}

// build makes the command.
func (t *trainer) build(ctx context.Context) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", t.program(), "github.com/softsearch-go/softsearch/model/cmd/rnnsearch")
	c.Stderr = t.stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%v: %w", c, err)
	}
	return nil
}

func (t *trainer) program() string { return filepath.Join(t.folder, "rnnsearch") }

// log returns the file of a system's log.
func (t *trainer) log(s system) string { return filepath.Join(t.folder, s.file()+".jsonl") }

// model returns the file of a system's model.
func (t *trainer) model(s system) string { return filepath.Join(t.folder, s.file()+".safetensors") }

// train trains a system, or goes on with it, and adds to its log. Where the log is complete, the
// command finds nothing to learn, unless the settings or the text are others than those of the
// checkpoint, which is an error.
func (t *trainer) train(ctx context.Context, s system) error {
	c := exec.CommandContext(ctx, t.program(), t.arguments(s)...)
	c.Dir, c.Stderr = t.folder, t.stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute // for the checkpoint
	done, err := t.complete(s)
	if err != nil {
		return err
	}
	if !done {
		log, err := os.OpenFile(t.log(s), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer log.Close()
		c.Stdout = log
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("training %s: %w; the same command goes on from there", s.name(), err)
	}
	return nil
}

// arguments returns those of rnnsearch in its folder. As in the paper, the alignment model has as
// many units as a GRU.
func (t *trainer) arguments(s system) []string {
	list := []string{
		"train", "--settings", t.settings, "--kind", string(s.Kind), "--max-length", strconv.Itoa(s.Limit),
		"--source", "train.source", "--target", "train.target", "--valid-source", "valid.source", "--valid-target", "valid.target",
		"--model", s.file() + ".safetensors", "--log", "json",
	}
	if s.Kind == model.RNNsearch {
		list = append(list, "--alignment", strconv.Itoa(t.hidden))
	}
	return list
}

// complete reports whether the log of a system ends with the last update.
func (t *trainer) complete(s system) (bool, error) {
	records, err := readLog(t.log(s))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil || len(records) == 0 {
		return false, err
	}
	last := records[len(records)-1]
	return last.Event == "end" && last.Update == t.updates, nil
}
