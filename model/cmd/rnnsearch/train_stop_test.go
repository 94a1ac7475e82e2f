package main

import (
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
)

func TestAddValidation(t *testing.T) {
	results := []validation{{5, 0}, {6, 0}, {4, 0}, {9, 3}, {1, 2}, {9, 3}, {1, 1}}
	for by, want := range map[criterion][]bool{
		byBLEU: {true, false, true, true, false, false, false},
		byLoss: {true, false, true, false, true, false, false},
	} {
		s := trainState{}
		worse, epoch := 0, 0
		for i, result := range results {
			s.Batches, s.Sentences, s.Loss = 3, 7, mean{1, 2}
			if s.addValidation(result, 3, by) {
				worse, epoch = 0, i+1
			} else {
				worse++
			}
			if (worse == 0) != want[i] || s.SinceBest != worse || s.Best.Epoch != epoch || s.Best.validation != results[epoch-1] {
				t.Errorf("by %s, validation %d: %+v, best %+v", by, i+1, s, s.Best)
			}
			if s.Epochs != i+1 || s.Batches != 0 || s.Sentences != 0 || s.Loss != (mean{}) {
				t.Errorf("by %s, validation %d: %+v", by, i+1, s)
			}
		}
	}
}

// TestValidatedWithin has validations in the middle of an epoch, which goes on after them.
func TestAddValidationWithin(t *testing.T) {
	s := trainState{Epochs: 2, Batches: 2, Sentences: 7, Loss: mean{1, 2}}
	if !s.addValidation(validation{5, 0}, 3, byBLEU) || s.Epochs != 2 || s.Batches != 2 || !s.validated() || s.Loss != (mean{}) || s.Best.Epoch != 3 {
		t.Errorf("after 2 of 3 batches: %+v, best %+v", s, s.Best)
	}
	s.addBatch(9, 4, 1)
	if s.validated() || s.addValidation(validation{6, 0}, 3, byBLEU) || s.Epochs != 3 || s.Batches != 0 || !s.validated() || s.SinceBest != 1 || s.Best.Epoch != 3 {
		t.Errorf("after the epoch: %+v, best %+v", s, s.Best)
	}
}

func TestEnd(t *testing.T) {
	for _, test := range []struct {
		options stopOptions
		state   trainState
		updates int
		want    string
	}{
		{stopOptions{epochs: 3}, trainState{Epochs: 2, Batches: 9, SinceBest: 100}, 29, ""},
		{stopOptions{epochs: 3}, trainState{Epochs: 3}, 30, trainlog.ReasonEpochs},
		{stopOptions{epochs: 3}, trainState{Epochs: 4}, 40, trainlog.ReasonEpochs},
		{stopOptions{epochs: 9, patience: 2}, trainState{Epochs: 3, SinceBest: 1}, 30, ""},
		{stopOptions{epochs: 9, patience: 2}, trainState{Epochs: 3, SinceBest: 2}, 30, trainlog.ReasonPatience},
		{stopOptions{epochs: 3, patience: 2}, trainState{Epochs: 3, SinceBest: 3}, 30, trainlog.ReasonPatience},
		{stopOptions{epochs: 3, updates: 30}, trainState{Epochs: 2, Batches: 9}, 29, ""},
		{stopOptions{epochs: 3, updates: 30}, trainState{Epochs: 3}, 30, trainlog.ReasonUpdates},
		{stopOptions{epochs: 3, updates: 31}, trainState{Epochs: 3}, 30, trainlog.ReasonEpochs},
		{stopOptions{epochs: 3, updates: 28}, trainState{Epochs: 2, Batches: 8, Sentences: 1}, 28, ""},
		{stopOptions{epochs: 3, updates: 28}, trainState{Epochs: 2, Batches: 8}, 28, trainlog.ReasonUpdates},
		{stopOptions{epochs: 3, updates: 28, patience: 2}, trainState{Epochs: 2, Batches: 9, SinceBest: 2}, 29, trainlog.ReasonUpdates},
		{stopOptions{epochs: 3, updates: 90, patience: 2}, trainState{Epochs: 2, Batches: 9, SinceBest: 2}, 29, trainlog.ReasonPatience},
		{stopOptions{epochs: 3, updates: 90, unlimitedEpochs: true}, trainState{Epochs: 4}, 40, ""},
	} {
		if got, _ := test.options.end(test.state, test.updates); got != test.want {
			t.Errorf("%+v at %+v, %d updates: got %q, want %q", test.options, test.state, test.updates, got, test.want)
		}
	}
}

// TestPatience stops a training of weights too few to learn much, and goes on with more patience to
// the bits of a training that had it from the start.
func TestPatience(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	args := func(dir, patience string) []string {
		return trainArgs(t, dir, "--best-by", "loss", "--embedding", "1", "--hidden", "1", "--batch", "1",
			"--patience", patience, "--epochs", "1000")
	}
	trained(t, args(whole, "4"))
	for _, patience := range []string{"2", "2", "4"} {
		out := trained(t, args(parts, patience))
		want := "no better model in " + patience + " validations; a higher --patience continues\n"
		if !strings.HasSuffix(out, want) {
			t.Errorf("got\n%swant %s", out, want)
		}
	}
	sameResult(t, parts, whole)
}
