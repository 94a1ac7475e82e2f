//go:build unix

package model

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSpecialFiles gives a named pipe, which nobody else opens, where a file is meant, and reads a
// model from a pipe as a stream.
func TestSpecialFiles(t *testing.T) {
	pipe, trainer := filepath.Join(t.TempDir(), "pipe"), checkpointed(t, Hyperparameters{})
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"Open":           func() error { _, err := Open(pipe); return err },
		"CheckpointNote": func() error { _, err := CheckpointNote(pipe); return err },
		"Load":           func() error { _, err := trainer.Load(pipe); return err },
		"Save":           func() error { return Save(pipe, trainer.model) },
		"Trainer.Save":   func() error { return trainer.Save(pipe, "") },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), pipe) || !strings.Contains(err.Error(), "not a regular file: named pipe") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(Write(w, trainer.model)) }()
	m, err := Read(r)
	if err != nil {
		t.Fatal(err)
	}
	sameModel(t, m, trainer.model)
}

// TestLinks saves a model and a checkpoint through links and reads them.
func TestLinks(t *testing.T) {
	dir, trainer := t.TempDir(), checkpointed(t, Hyperparameters{})
	for _, name := range []string{"model", "checkpoint"} {
		if err := os.Symlink(name+".stored", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		learn(t, trainer, trainingBatches(1))
		if err := Save(filepath.Join(dir, "model"), trainer.model); err != nil {
			t.Fatal(err)
		}
		if err := trainer.Save(filepath.Join(dir, "checkpoint"), "note"); err != nil {
			t.Fatal(err)
		}
		stored, err := os.ReadFile(filepath.Join(dir, "model.stored"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(stored, written(t, trainer.model)) {
			t.Error("the file behind the link is not the model")
		}
		if note, err := CheckpointNote(filepath.Join(dir, "checkpoint.stored")); note != "note" || err != nil {
			t.Errorf("got note %q, error %v", note, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 4 {
		t.Errorf("files %v, want two and two links", entries)
	}
}
