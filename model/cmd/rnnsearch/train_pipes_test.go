//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

// TestSignalPreparing sends signals to trainings that wait for a pipe nobody writes to.
func TestSignalPreparing(t *testing.T) {
	for _, flag := range []string{"source", "target", "valid-source", "valid-target", "source-vocabulary", "codes"} {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			dir := t.TempDir()
			names := []string{"source", "target", "valid-source", "valid-target"}
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o666); err != nil {
				t.Skip(err)
			}
			p := begin(t, command(t, trainArgs(t, dir, "--"+flag, pipe)...))
			for {
				if _, err := os.Stat(dir + "/m.checkpoint.lock"); err == nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
			p.Process.Signal(signal)
			if code := p.end(); code != interruptedCode || p.stderr.String() != "rnnsearch: interrupted\n" {
				t.Errorf("--%s: exit code %d, %s", flag, code, &p.stderr)
			}
			wantFiles(t, dir, append([]string(nil), names...)...)
		}
	}
}

// TestSignalAnytime sends signals at random moments, most of them during the preparation. Nothing is
// left but what a training can resume from.
func TestSignalAnytime(t *testing.T) {
	rounds := 20
	if !fixture.Full() {
		rounds = 4
	}
	whole, dir := t.TempDir(), t.TempDir()
	args := func(dir string) []string { return rawArgs(t, dir, 1000, "--bpe", "50", "--epochs", "1") }
	mustTrain(t, args(whole))
	train := args(dir)
	r := rand.New(rand.NewPCG(1, 2))
	saved := 0
	for range rounds {
		p := begin(t, command(t, append(train, "--log", "json", "--epochs", "1000000")...))
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
		p.Process.Signal(os.Interrupt)
		code := p.end()
		switch message := p.stderr.String(); {
		case code == -1: // before the program could catch the signal
		case code != interruptedCode || message != "rnnsearch: interrupted\n" && !strings.HasPrefix(message, "rnnsearch: interrupted after update "):
			t.Errorf("exit code %d, %s", code, message)
		case strings.Contains(message, "after"):
			saved++
		}
		names := allFiles(t, dir)
		for name := range names {
			if strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".lock") && code != -1 {
				t.Errorf("%s is left", name)
			}
		}
	}
	t.Logf("%d of %d signals saved a checkpoint", saved, rounds)
	var epochs int
	if _, err := os.Stat(dir + "/m.checkpoint"); err == nil {
		epochs = epochsOf(t, dir+"/m.checkpoint")
	}
	if epochs == 0 {
		mustTrain(t, train)
		if !bytes.Equal(read(t, dir+"/m"), read(t, whole+"/m")) {
			t.Error("another model than without signals")
		}
	}
}

// TestPipes trains on text from pipes, which can be read once, and resumes so.
func TestPipes(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole, "--epochs", "3"))
	for _, epochs := range []string{"1", "3"} {
		args := trainArgs(t, dir, "--epochs", epochs, "--log", "json")
		var texts [][]byte
		for i, flag := range []string{"source", "target", "valid-source", "valid-target"} {
			content := read(t, dir+"/"+flag)
			if i%2 == 1 {
				var zipped bytes.Buffer
				w := gzip.NewWriter(&zipped)
				w.Write(content)
				w.Close()
				content = zipped.Bytes()
			}
			texts = append(texts, content)
			pipe := filepath.Join(t.TempDir(), flag)
			if err := syscall.Mkfifo(pipe, 0o666); err != nil {
				t.Skip(err)
			}
			args = append(without(args, "--"+flag), "--"+flag, pipe)
			go os.WriteFile(pipe, texts[i], 0)
		}
		p := begin(t, command(t, args...))
		if epochs == "3" {
			p.until(t, training.EventResume)
		}
		if code := p.end(); code != 0 {
			t.Fatalf("exit code %d: %s", code, &p.stderr)
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
