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
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
)

// A trainer runs rnnsearch train in a folder that holds the text, the models and the logs.
type trainer struct {
	folder          string
	settings        string          // absolute path of the settings file that all systems share
	content         json.RawMessage // of that file
	hidden, updates int             // in it
	stderr          io.Writer
}

// newTrainer returns a trainer with a settings file, which must have hidden and updates.
func newTrainer(folder, settings string, stderr io.Writer) (*trainer, error) {
	encoded, err := os.ReadFile(settings)
	if err != nil {
		return nil, err
	}
	var s struct{ Hidden, Updates int }
	if err := json.Unmarshal(encoded, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", settings, err)
	}
	if min(s.Hidden, s.Updates) < 1 {
		return nil, fmt.Errorf("%s: expected hidden and updates, at least 1 each", settings)
	}
	path, err := filepath.Abs(settings)
	return &trainer{folder, path, encoded, s.Hidden, s.Updates, stderr}, err
}

func (t *trainer) build(ctx context.Context) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(t.folder, program), "github.com/softsearch-go/softsearch/model/cmd/rnnsearch")
	c.Stderr = t.stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%v: %w", c, err)
	}
	return nil
}

// program is the name of rnnsearch in the folder.
const program = "rnnsearch"

func (t *trainer) log(s system) string { return filepath.Join(t.folder, s.file()+".jsonl") }

func (t *trainer) model(s system) string { return filepath.Join(t.folder, s.file()+".safetensors") }

// train trains a system, or resumes its training, and appends to its log. It runs rnnsearch even if
// the log is complete, and then logs nothing: rnnsearch fails if the settings or the text differ from
// the checkpoint's.
func (t *trainer) train(ctx context.Context, s system) error {
	c := t.command(ctx, t.arguments(s)...)
	complete, err := t.complete(s)
	if err != nil {
		return err
	}
	if !complete {
		log, err := os.OpenFile(t.log(s), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer log.Close()
		c.Stdout = log
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("training %s: %w; run the same command to resume", s.name(), err)
	}
	return nil
}

// command returns a command of rnnsearch in the folder, which ctx interrupts.
func (t *trainer) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "./"+program, args...)
	c.Dir, c.Stderr = t.folder, t.stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute // for the checkpoint
	return c
}

// copyLog copies the log of a model of the folder, which is MODEL.jsonl.
func (t *trainer) copyLog(model, path string) error {
	log, err := os.ReadFile(filepath.Join(t.folder, model+".jsonl"))
	if err != nil {
		return err
	}
	return os.WriteFile(path, log, 0o666)
}

// save writes the output of a command of rnnsearch to a file of the folder, unless it is there.
func (t *trainer) save(ctx context.Context, name string, args ...string) error {
	return t.write(name, func(w io.Writer) error {
		c := t.command(ctx, args...)
		c.Stdout = w
		return c.Run()
	})
}

// write writes a file of the folder, unless it is there.
func (t *trainer) write(name string, content func(io.Writer) error) error {
	path := filepath.Join(t.folder, name)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	out, err := files.Create(path, false)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := content(out); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return out.Commit()
}

// maxSegments is the maximum number of segments per word of a sentence, on average. Without byte-pair
// encoding there is one.
const maxSegments = 4

// arguments returns the arguments of rnnsearch in its folder. As in the paper, the alignment model
// has as many units as a GRU.
func (t *trainer) arguments(s system) []string {
	list := []string{
		"train", "--settings", t.settings, "--kind", string(s.Kind), "--max-length", strconv.Itoa(maxSegments * s.Limit),
		"--source", s.text() + ".source", "--target", s.text() + ".target", "--valid-source", "valid.source", "--valid-target", "valid.target",
		"--model", s.file() + ".safetensors", "--log", "json",
	}
	if s.Kind == model.RNNsearch {
		list = append(list, "--alignment", strconv.Itoa(t.hidden))
	}
	return list
}

// complete reports whether a system's log ends after the last update.
func (t *trainer) complete(s system) (bool, error) {
	records, err := trainlog.ReadFile(t.log(s))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil || len(records) == 0 {
		return false, err
	}
	last := records[len(records)-1]
	return last.Event == trainlog.EventEnd && last.Update == t.updates, nil
}

// open opens the models of all systems and adds the numbers of their weights to the result.
func (t *trainer) open(r *result) ([]*model.Model, error) {
	var models []*model.Model
	for i := range r.Systems {
		s := &r.Systems[i]
		m, err := model.Open(t.model(s.system))
		if err != nil {
			return nil, err
		}
		s.Weights = len(m.Parameters.Values)
		models = append(models, m)
	}
	return models, nil
}
