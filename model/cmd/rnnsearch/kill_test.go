package main

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
)

// TestKill kills a training at random moments, with a checkpoint after each update and after
// every third, until it has been killed often enough. It then ends with the bits of a training
// that nobody killed.
func TestKill(t *testing.T) {
	kills := 25
	if testing.Short() {
		kills = 4
	}
	for _, test := range []struct{ name, args string }{
		{"every update", "--checkpoint-updates 1 --epochs 20 --updates 98"},
		{"every third update", "--checkpoint-updates 3 --epochs 60 --optimizer adam --warmup 30 --decay 40 " +
			"--dropout-embedding 0.2 --dropout-context 0.1 --dropout-readout 0.3 --label-smoothing 0.1 --average 0.9 --source-language en --target-language fr --bpe 20"},
	} {
		t.Run(test.name, func(t *testing.T) {
			more := strings.Fields(test.args + " --log json --progress-updates 2")
			whole, killed := t.TempDir(), t.TempDir()
			trained(t, trainArgs(t, whole, more...))
			args := trainArgs(t, killed, more...)
			r := rand.New(rand.NewPCG(1, uint64(len(test.name))))
			ended, torn, resumed := 0, 0, 0
			for range kills {
				events, code := killAfter(t, args, 1+r.IntN(8), time.Duration(r.IntN(3000))*time.Microsecond)
				if code == 0 {
					ended++
				}
				if events[0] == trainlog.EventResume {
					resumed++
				}
				left, err := filepath.Glob(killed + "/*.tmp")
				if err != nil {
					t.Fatal(err)
				}
				torn += len(left)
			}
			trained(t, args)
			sameResult(t, killed, whole)
			t.Logf("%d kills, %d of them in the middle of a file; %d starts from a checkpoint, %d after the end", kills-ended, torn, resumed, ended)
		})
	}
}

// killAfter starts a command, kills it some time after so many records, and returns the events
// that it reported till then, and the exit code.
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
