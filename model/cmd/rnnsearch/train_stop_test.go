package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// updatesArgs returns a command of trainArgs with --updates and without --epochs. An epoch has 5
// updates, and the validation loss falls each time.
func updatesArgs(t *testing.T, dir, updates string, more ...string) []string {
	t.Helper()
	return without(trainArgs(t, dir, append(more, "--best-by", "loss", "--updates", updates)...), "--epochs")
}

// validations returns the numbers of updates at the validations and at the end of a log, and the
// reason for the end.
func validations(t *testing.T, out string) string {
	t.Helper()
	var events []string
	for _, r := range parse(t, out) {
		switch r["event"] {
		case training.EventValidation:
			events = append(events, fmt.Sprint(r["update"]))
		case training.EventEnd:
			events = append(events, fmt.Sprint(r["update"], " ", r["reason"]))
		}
	}
	return strings.Join(events, ", ")
}

// TestUpdates ends trainings by --updates within an epoch, at its end and beyond the default of
// --epochs, and by --epochs.
func TestUpdates(t *testing.T) {
	for _, test := range []struct{ updates, more, want string }{
		{"3", "", "3, 3 updates"},
		{"5", "", "5, 5 updates"},
		{"7", "", "5, 7, 7 updates"},
		{"27", "", "5, 10, 15, 20, 25, 27, 27 updates"},
		{"27", "--epochs 3", "5, 10, 15, 15 epochs"},
		{"10", "--epochs 2", "5, 10, 10 updates"},
		{"0", "", "5, 10, 15, 20, 25, 25 epochs"},
	} {
		dir := t.TempDir()
		more := strings.Fields("--log json " + test.more)
		out := mustTrain(t, append(updatesArgs(t, dir, test.updates), more...))
		if got := validations(t, out); got != test.want {
			t.Errorf("--updates %s %s: validations at %s, want %s", test.updates, test.more, got, test.want)
		}
	}
}

// TestMoreUpdates continues trainings that ended within an epoch and at its end, with interruptions
// between, to the same bits as a single training.
func TestMoreUpdates(t *testing.T) {
	more := strings.Fields("--optimizer adam --warmup 5 --dropout-readout 0.3 --checkpoint-updates 2")
	whole, epochs, parts := t.TempDir(), t.TempDir(), t.TempDir()
	mustTrain(t, updatesArgs(t, whole, "13", more...))
	mustTrain(t, trainArgs(t, epochs, append(more, "--epochs", "4", "--best-by", "loss")...))
	for _, updates := range []string{"3", "5", "6", "13"} {
		args := updatesArgs(t, parts, updates, more...)
		executeContext(canceledAfter(1), "", args...)
		out := mustTrain(t, args)
		if want := "\ncomplete after " + updates + " updates; a higher --updates continues\n"; !strings.HasSuffix(out, want) {
			t.Errorf("got\n%swant %s", out, want)
		}
	}
	sameResult(t, parts, whole)
	mustTrain(t, trainArgs(t, parts, append(more, "--epochs", "4", "--best-by", "loss")...))
	sameResult(t, parts, epochs)
}
