//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// TestTwoTrainings starts the same training twice, in processes, again and again: the second one
// fails and names the first one, which goes on; after a kill of the first one, a third one resumes.
func TestTwoTrainings(t *testing.T) {
	const rounds = 2
	dir := t.TempDir()
	more := strings.Fields("--log json --checkpoint-updates 2")
	args := trainArgs(t, dir, append(more, "--epochs", "1000000")...)
	for range rounds {
		first := begin(t, command(t, args...))
		if r, ok := first.next(t); !ok {
			t.Fatalf("%+v, %s", r, &first.stderr)
		}
		for _, flags := range [][]string{nil, {"--overwrite"}, {"--model", dir + "/other", "--checkpoint", dir + "/m.checkpoint"}, {"--model", dir + "/m.checkpoint", "--checkpoint", dir + "/m"}} {
			second := begin(t, command(t, append(args, flags...)...))
			if r, ok := second.next(t); ok {
				second.Process.Kill()
				t.Errorf("%v: %s", flags, r.Event)
			}
			code := second.end()
			if want := "in use by another process"; code != 1 || !strings.Contains(second.stderr.String(), want) {
				t.Errorf("%v: exit code %d, %s", flags, code, &second.stderr)
			}
		}
		first.until(t, training.EventCheckpoint)
		first.Process.Kill()
		if code := first.end(); code != -1 {
			t.Fatalf("the first process ended with %d: %s", code, &first.stderr)
		}
		if err := os.Remove(dir + "/other.checkpoint"); err == nil {
			t.Error("the refused training has written a checkpoint")
		}
	}
	// Two at the same moment: one of them, whichever it is, goes on.
	for range rounds {
		var both [2]*process
		for i := range both {
			both[i] = begin(t, command(t, args...))
		}
		alive := 0
		for _, p := range both {
			if r, ok := p.next(t); ok && (r.Event == training.EventStart || r.Event == training.EventResume) {
				alive++
			}
		}
		if alive != 1 {
			t.Errorf("%d of two trainings go on", alive)
		}
		for _, p := range both {
			p.Process.Kill()
			if code := p.end(); code != -1 && (code != 1 || !strings.Contains(p.stderr.String(), "in use by another process")) {
				t.Errorf("exit code %d, %s", code, &p.stderr)
			}
		}
	}
	resumeAndCompare(t, dir, epochsOf(t, dir+"/m.checkpoint")+1, more)
}
