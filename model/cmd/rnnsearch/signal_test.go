//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// TestSignal sends signals to trainings after an update and before a validation.
func TestSignal(t *testing.T) {
	for _, test := range []struct {
		name    string
		signal  os.Signal
		updates string // between checkpoints; the signal follows the first one
	}{
		{"SIGINT", os.Interrupt, "2"},
		{"SIGTERM", syscall.SIGTERM, "2"},
		{"SIGINT in validation", os.Interrupt, "5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			more := []string{"--log", "json", "--epochs", "1000000", "--checkpoint-updates", test.updates}
			p := begin(t, command(t, trainArgs(t, dir, more...)...))
			p.until(t, training.EventCheckpoint)
			if err := p.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			end := p.until(t, training.EventEnd)
			if code := p.end(); code != interruptedCode || end.Reason != training.ReasonInterrupted {
				t.Errorf("exit code %d, reason %s", code, end.Reason)
			}
			want := regexp.MustCompile(`^rnnsearch: interrupted after update \d+: run the same command to resume from .*\n$`)
			if !want.Match(p.stderr.Bytes()) {
				t.Errorf("standard error: %s\nwant %s", &p.stderr, want)
			}
			resumeAndCompare(t, dir, end.Epoch+1, more)
		})
	}
}

// resumeAndCompare resumes an interrupted training up to that many epochs, and compares the result
// with that of an uninterrupted one.
func resumeAndCompare(t *testing.T, dir string, epochs int, more []string) {
	t.Helper()
	whole := t.TempDir()
	more = append(more, "--epochs", strconv.Itoa(epochs))
	mustTrain(t, trainArgs(t, dir, more...))
	mustTrain(t, trainArgs(t, whole, more...))
	sameResult(t, dir, whole)
}

// TestSecondSignal sends signals to a training that cannot stop in order because it blocks in writing
// its log: the second signal kills it.
func TestSecondSignal(t *testing.T) {
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	for err == nil {
		_, err = w.Write(make([]byte, 1<<12))
	}
	running := filepath.Join(dir, "log") // begins just before the log on standard output
	c := command(t, trainArgs(t, dir, "--log-file", running)...)
	var stderr bytes.Buffer
	c.Stdout, c.Stderr = w, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	for range 1000 {
		select {
		case <-ended:
			status := c.ProcessState.Sys().(syscall.WaitStatus)
			if !status.Signaled() || status.Signal() != syscall.SIGINT {
				t.Errorf("ended with %v, standard error %s", c.ProcessState, &stderr)
			}
			return
		case <-time.After(10 * time.Millisecond):
			if _, err := os.Stat(running); err == nil {
				c.Process.Signal(os.Interrupt)
			}
		}
	}
	c.Process.Kill()
	<-ended
	t.Error("the signals did not kill the training")
}

// TestSignalReading sends a signal to commands that wait for more text, after they have begun to read
// some: the pipe holds less than that.
func TestSignalReading(t *testing.T) {
	path, reference := saved(t, tinyModel(t)), write(t, "reference", "a")
	for _, line := range []string{
		"bleu --reference " + reference,
		"align --model " + path,
	} {
		dir := t.TempDir()
		c := command(t, strings.Fields(strings.ReplaceAll(line, "DIR", dir))...)
		stdin, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		p := begin(t, c)
		printed := make(chan bool)
		go func() {
			for p.stdout.Scan() {
			}
			close(printed)
		}()
		if _, err := io.WriteString(stdin, strings.Repeat("\n", 1<<18)); err != nil {
			t.Fatal(err)
		}
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		<-printed
		if code := p.end(); code != interruptedCode || p.stderr.String() != "rnnsearch: interrupted\n" {
			t.Errorf("%s: exit code %d, standard error %q, want %d", line, code, &p.stderr, interruptedCode)
		}
		wantFiles(t, dir)
	}
}

// TestSignalQuantize sends a signal to quantize while it waits for text to compare with, after it has
// written the model beside the output.
func TestSignalQuantize(t *testing.T) {
	if _, err := os.Stat("/dev/stdin"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	output := filepath.Join(dir, "q")
	c := command(t, "quantize", "--model", saved(t, tinyModel(t)), "--output", output, "--source", "/dev/stdin", "--target", write(t, "target", "un"))
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	p := begin(t, c)
	waitWritten(t, output)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := p.end(); code != interruptedCode || p.stderr.String() != "rnnsearch: interrupted\n" {
		t.Errorf("exit code %d, standard error %q", code, &p.stderr)
	}
	wantFiles(t, dir)
}
