//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// TestSignal sends signals to trainings, which save a checkpoint and say so.
func TestSignal(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := begin(t, command(t, trainArgs(t, t.TempDir(), "--log", "json", "--epochs", "1000000", "--checkpoint-updates", "2")...))
		p.until(t, training.EventCheckpoint)
		if err := p.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		end := p.until(t, training.EventEnd)
		want := regexp.MustCompile(`^rnnsearch: interrupted after update \d+: run the same command to resume from .*\n$`)
		if code := p.end(); code != interruptedCode || end.Reason != training.ReasonInterrupted || !want.Match(p.stderr.Bytes()) {
			t.Errorf("%s: exit code %d, reason %s, standard error %s", signal, code, end.Reason, &p.stderr)
		}
	}
}

// TestInterruptedWaiting interrupts commands that have read some text and wait for more, or for another process to
// open a pipe.
func TestInterruptedWaiting(t *testing.T) {
	m, reference := saved(t, tinyModel(t)), write(t, "reference", "a")
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	many := strings.Repeat("\n", 1<<18)
	tests := []struct{ args, stdin, want string }{
		{"bleu --reference " + reference, many, ""},
		{"align --model " + m, many, ""},
		{"translate --output DIR/out --model " + m, "a dog\n", " after 1 line: --output DIR/out is not written"},
		{"translate --output DIR/out --model " + m + " --input " + pipe, "", " after 0 lines: --output DIR/out is not written"},
		{"score --output DIR/out --model " + m + " --source " + pipe + " --target " + pipe, "", ""},
		{"quantize --output DIR/out --model " + m + " --source " + pipe + " --target " + reference, "", ""},
	}
	for _, flag := range []string{"source", "target", "valid-source", "valid-target", "source-vocabulary", "codes"} {
		args := trainArgs(t, t.TempDir(), "--"+flag, pipe, "--model", "DIR/out")
		tests = append(tests, struct{ args, stdin, want string }{args: strings.Join(args, " ")})
	}
	for _, test := range tests {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		stdin, w := io.Pipe()
		go func() {
			if test.stdin != "" {
				io.WriteString(w, test.stdin)
			}
			if test.stdin != "" && test.want != "" {
				waitWritten(t, dir+"/out")
			} else {
				time.Sleep(10 * time.Millisecond)
			}
			cancel()
		}()
		var stderr bytes.Buffer
		code := run(ctx, strings.Fields(strings.ReplaceAll(test.args, "DIR", dir)), stdin, io.Discard, &stderr)
		want := "rnnsearch: interrupted" + strings.ReplaceAll(test.want, "DIR", dir) + "\n"
		if code != interruptedCode || withoutLoops(stderr.String()) != want {
			t.Errorf("%s: exit code %d, got %swant %s", test.args, code, &stderr, want)
		}
		w.Close()
		wantFiles(t, dir)
	}
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
