package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSettings checks that rnnsearch train accepts each settings file, with smaller sizes.
func TestSettings(t *testing.T) {
	files := writeFiles(t)
	trainer := trainer{folder: t.TempDir(), stderr: io.Discard}
	if err := trainer.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := filepath.Glob("settings/*.json")
	if err != nil || len(list) == 0 {
		t.Fatal("no settings", err)
	}
	for _, settings := range list {
		c := exec.Command(filepath.Join(trainer.folder, program), "train", "--settings", settings, "--updates", "2", "--model", filepath.Join(t.TempDir(), "model"),
			"--source", filepath.Join(files, "train.source"), "--target", filepath.Join(files, "train.target"),
			"--embedding", "8", "--hidden", "8", "--alignment", "8", "--maxout", "8")
		if output, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", settings, err, output)
		}
	}
}
