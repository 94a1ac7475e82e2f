package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestInterrupt presses Ctrl-C while translate waits for a line that does not come.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signal can be sent")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, "translate", "--model", saved(t, tinyModel(t)))
	c.Env = append(os.Environ(), asCommand+"=1")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, "a dog\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); c.ProcessState.ExitCode() != interrupted || stderr.String() != "rnnsearch: interrupted\n" {
		t.Errorf("got %v and %q, want exit code %d", err, &stderr, interrupted)
	}
}

// TestInterrupted runs every command with a context that has ended.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := options(t)
	for _, args := range [][]string{
		{"demo"},
		{"train", "--source", o.source, "--target", o.target, "--valid-source", o.validSource, "--valid-target", o.validTarget,
			"--model", o.model, "--embedding", "8", "--hidden", "8", "--alignment", "8", "--maxout", "8"},
		{"translate", "--model", saved(t, tinyModel(t))},
		{"bleu", "--reference", o.validTarget},
	} {
		var stderr bytes.Buffer
		code := run(ctx, args, strings.NewReader("a dog\n"), io.Discard, &stderr)
		if code != interrupted || !strings.HasSuffix(stderr.String(), "rnnsearch: interrupted\n") {
			t.Errorf("%s: exit code %d, %q, want %d", args[0], code, &stderr, interrupted)
		}
	}
}

func TestInterruptible(t *testing.T) {
	const content = "a dog\n\na cat"
	for _, c := range chunked {
		r := &interruptible{ctx: t.Context(), r: c.read(strings.NewReader(content))}
		if got, err := io.ReadAll(r); string(got) != content || err != nil {
			t.Errorf("input in %s: got %q and error %v, want %q", c.name, got, err, content)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting, w := io.Pipe()
	defer w.Close()
	r := &interruptible{ctx: ctx, r: waiting}
	go cancel()
	for range 2 {
		if n, err := r.Read(make([]byte, 9)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("got %d bytes and %v, want %v", n, err, context.Canceled)
		}
	}
}
