//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipes trains on text from pipes, which can be read once, and resumes with the texts compressed that were not.
func TestPipes(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole, "--epochs", "3"))
	for run, epochs := range []string{"1", "3"} {
		args := trainArgs(t, dir, "--epochs", epochs)
		for i, flag := range []string{"source", "target", "valid-source", "valid-target"} {
			text := compressions[(i+run)%2].compress(t, content(t, dir+"/"+flag))
			pipe := filepath.Join(t.TempDir(), flag)
			if err := syscall.Mkfifo(pipe, 0o666); err != nil {
				t.Skip(err)
			}
			args = append(without(args, "--"+flag), "--"+flag, pipe)
			go os.WriteFile(pipe, []byte(text), 0)
		}
		if out := mustTrain(t, args); strings.Contains(out, "resumed from") != (epochs == "3") {
			t.Errorf("got %s", out)
		}
	}
	sameResult(t, dir, whole)
}

// TestPipeTwice gives one pipe to two flags.
func TestPipeTwice(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	_, stderr, code := execute("", trainArgs(t, t.TempDir(), "--source", pipe, "--valid-target", pipe)...)
	if want := "rnnsearch: --valid-target " + pipe + ": not a regular file, and read for --source already; expected another file\n"; code != 1 || stderr != want {
		t.Errorf("exit code %d, got %swant %s", code, stderr, want)
	}
}
