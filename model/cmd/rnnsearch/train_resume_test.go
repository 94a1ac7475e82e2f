package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

// A countdown is a context that is canceled after a number of calls of Err.
type countdown struct {
	context.Context
	left atomic.Int64
}

// canceledAfter returns a context whose first n calls of Err return nil.
func canceledAfter(n int64) *countdown {
	c := &countdown{Context: context.Background()}
	c.left.Store(n)
	return c
}

// places runs a training and returns after how many checks of its context to interrupt it, and the step to the next
// place: at every third check in full tests, otherwise while it prepares text, halfway and in the last validation.
func places(t *testing.T, args []string) (first, step int64) {
	t.Helper()
	const many = 1 << 40
	ctx := canceledAfter(many)
	if _, stderr, code := executeContext(ctx, "", args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if fixture.Full() {
		return 0, 3
	}
	checks := many - ctx.left.Load()
	return 2 * checks / 7, checks / 3
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupt interrupts trainings in the preparation, in updates and in validation, and resumes them. The result
// has the same bits as without the interruption.
func TestInterrupt(t *testing.T) {
	for _, test := range []struct {
		flags string
		after []string // updates after which there are interruptions
	}{
		{"--updates 7", []string{"", "5", "7"}}, // an epoch has 5 updates, and a validation follows it
		{"--batch-words 120 --valid-updates 3 --checkpoint-updates 1", nil},
	} {
		count := interrupted(t, append(shortValidation(t), strings.Fields(test.flags)...))
		for _, updates := range test.after {
			if count[updates] == 0 {
				t.Errorf("%s: interruptions by number of updates: %v, none after %q", test.flags, count, updates)
			}
		}
		if len(count) < 3 {
			t.Errorf("%s: interruptions by number of updates: %v", test.flags, count)
		}
	}
}

// shortValidation returns flags for a validation text of one sentence.
func shortValidation(t *testing.T) []string {
	t.Helper()
	return []string{"--valid-source", write(t, "en", "the cat sleeps ."), "--valid-target", write(t, "fr", "le chat dort .")}
}

// interrupted interrupts one training at several places, resumes each, and returns the number of
// interruptions by the number of updates before them, "" if there was nothing to save.
func interrupted(t *testing.T, more []string) map[string]int {
	t.Helper()
	whole := t.TempDir()
	n, step := places(t, trainArgs(t, whole, more...))
	message := regexp.MustCompile(`^rnnsearch: interrupted(?: after update (\d+): run the same command to resume from .*/m\.checkpoint)?\n$`)
	count := map[string]int{}
	for ; ; n += step {
		dir := t.TempDir()
		args := trainArgs(t, dir, more...)
		_, stderr, code := executeContext(canceledAfter(n), "", args...)
		if code == 0 {
			return count
		}
		match := message.FindStringSubmatch(stderr)
		if code != interruptedCode || match == nil {
			t.Fatalf("exit code %d, standard error %s", code, stderr)
		}
		count[match[1]]++
		if match[1] == "" {
			wantFiles(t, dir, "source", "target", "valid-source", "valid-target")
		}
		out := mustTrain(t, args)
		if strings.Contains(out, "resumed") != (match[1] != "") || !strings.Contains(out, " "+match[1]+" update") && match[1] != "" {
			t.Errorf("interrupted after update %s, then\n%s", match[1], out)
		}
		sameResult(t, dir, whole)
	}
}

// TestKill kills a training again and again at random moments and then lets it finish. The result has
// the same bits as without kills.
func TestKill(t *testing.T) {
	type recipe struct{ name, args string }
	kills, recipes := 25, []recipe{
		{"every update", "--checkpoint-updates 1 --epochs 20 --updates 98"},
		{"every third update", "--checkpoint-updates 3 --epochs 60 --optimizer adam --warmup 30 --decay 40 " +
			"--dropout-embedding 0.2 --dropout-context 0.1 --dropout-readout 0.3 --label-smoothing 0.1 --average 0.9 --source-language en --target-language fr --bpe 20"},
		{"bf16", "--checkpoint-updates 2 --epochs 20 --updates 98 --precision bf16"},
	}
	if !fixture.Full() {
		kills, recipes = 3, recipes[1:2]
		recipes[0].args += " --epochs 10"
	}
	for _, test := range recipes {
		t.Run(test.name, func(t *testing.T) {
			more := strings.Fields(test.args + " --log json --progress-updates 2")
			whole, killed := t.TempDir(), t.TempDir()
			mustTrain(t, trainArgs(t, whole, more...))
			args := trainArgs(t, killed, more...)
			r := rand.New(rand.NewPCG(1, uint64(len(test.name))))
			ended, torn, resumed := 0, 0, 0
			for range kills {
				events, code := killAfter(t, args, 1+r.IntN(8), time.Duration(r.IntN(3000))*time.Microsecond)
				if code == 0 {
					ended++
				}
				if events[0] == training.EventResume {
					resumed++
				}
				left, err := filepath.Glob(killed + "/*.tmp")
				if err != nil {
					t.Fatal(err)
				}
				torn += len(left)
			}
			mustTrain(t, args)
			sameResult(t, killed, whole)
			t.Logf("%d kills, %d of them while writing a file; %d starts resumed from a checkpoint, %d ran to the end", kills-ended, torn, resumed, ended)
		})
	}
}

// killAfter starts a command, reads that many records, waits, and kills it. It returns the events of
// the records and the exit code.
func killAfter(t *testing.T, args []string, records int, wait time.Duration) (events []string, code int) {
	t.Helper()
	p := begin(t, command(t, args...))
	for range records {
		r, ok := p.next(t)
		if !ok {
			break
		}
		events = append(events, r.Event)
	}
	time.Sleep(wait)
	p.Process.Kill()
	if code = p.end(); code > 0 || len(events) == 0 {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	return events, code
}

// A process is a running rnnsearch, whose log is JSON.
type process struct {
	*exec.Cmd
	stdout *bufio.Scanner
	stderr bytes.Buffer
}

// command returns an rnnsearch that has not been started: this binary, see TestMain.
func command(t testing.TB, args ...string) *exec.Cmd {
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

// next returns the next record, or false after the last one.
func (p *process) next(t *testing.T) (training.Record, bool) {
	t.Helper()
	if !p.stdout.Scan() {
		return training.Record{}, false
	}
	var r training.Record
	if err := json.Unmarshal(p.stdout.Bytes(), &r); err != nil {
		t.Fatalf("line %q: %v", p.stdout.Text(), err)
	}
	return r, true
}

// until returns the next record of that event.
func (p *process) until(t *testing.T, event string) training.Record {
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

// end waits for the process and returns its exit code, -1 if a signal killed it.
func (p *process) end() int {
	for p.stdout.Scan() {
	}
	p.Wait()
	return p.ProcessState.ExitCode()
}
