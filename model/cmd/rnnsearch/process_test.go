package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
)

// A process is this binary as the command, with --log json.
type process struct {
	*exec.Cmd
	stdout *bufio.Scanner
	stderr bytes.Buffer
}

// command returns the command that has not been started.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, args...)
	c.Env = append(os.Environ(), asCommand+"=1")
	return c
}

// begin starts a command.
func begin(t *testing.T, c *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: c}
	p.Stderr = &p.stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewScanner(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// next returns the next record, and false after the last one.
func (p *process) next(t *testing.T) (trainlog.Record, bool) {
	t.Helper()
	if !p.stdout.Scan() {
		return trainlog.Record{}, false
	}
	var r trainlog.Record
	if err := json.Unmarshal(p.stdout.Bytes(), &r); err != nil {
		t.Fatalf("line %q: %v", p.stdout.Text(), err)
	}
	return r, true
}

// until returns the next record of an event.
func (p *process) until(t *testing.T, event string) trainlog.Record {
	t.Helper()
	for {
		r, ok := p.next(t)
		if !ok {
			p.Wait()
			t.Fatalf("no %s; standard error: %s", event, &p.stderr)
		}
		if r.Event == event {
			return r
		}
	}
}

// end waits for the end and returns the exit code, -1 after a signal.
func (p *process) end() int {
	for p.stdout.Scan() {
	}
	p.Wait()
	return p.ProcessState.ExitCode()
}
