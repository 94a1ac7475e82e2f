package main

import (
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
)

// TestTwoTrainings starts trainings whose model or checkpoint another one writes.
func TestTwoTrainings(t *testing.T) {
	dir := t.TempDir()
	args := trainArgs(t, dir)
	mustTrain(t, args)
	before := allFiles(t, dir)
	for locked, list := range map[string][]string{
		"/m":            {"", "--overwrite", "--model DIR/other --checkpoint DIR/m"},
		"/m.checkpoint": {"", "--overwrite", "--model DIR/other --checkpoint DIR/m.checkpoint", "--model DIR/m.checkpoint --checkpoint DIR/m"},
	} {
		lock, err := files.NewLock(dir + locked)
		if err != nil {
			t.Fatal(err)
		}
		for _, flags := range list {
			_, stderr, code := execute("", append(args, strings.Fields(strings.ReplaceAll(flags, "DIR", dir))...)...)
			if code != 1 || !strings.Contains(stderr, dir+locked+": in use by another process") {
				t.Errorf("%s: exit code %d, %s", flags, code, stderr)
			}
		}
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
		unchanged(t, dir, before)
	}
}
