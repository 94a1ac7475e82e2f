package main

import (
	"strings"
	"testing"
)

func TestValidated(t *testing.T) {
	results := []validation{{5, 0}, {6, 0}, {4, 0}, {9, 3}, {1, 2}, {9, 3}, {1, 1}}
	for by, want := range map[criterion][]bool{
		byBLEU: {true, false, true, true, false, false, false},
		byLoss: {true, false, true, false, true, false, false},
	} {
		s := state{}
		worse, epoch := 0, 0
		for i, result := range results {
			s.Batches, s.Sentences, s.Loss = 3, 7, mean{1, 2}
			if s.validated(result, 3, by) {
				worse, epoch = 0, i+1
			} else {
				worse++
			}
			if (worse == 0) != want[i] || s.Worse != worse || s.Best.Epoch != epoch || s.Best.validation != results[epoch-1] {
				t.Errorf("by %s, validation %d: %+v, best %+v", by, i+1, s, s.Best)
			}
			if s.Epochs != i+1 || s.Batches != 0 || s.Sentences != 0 || s.Loss != (mean{}) {
				t.Errorf("by %s, validation %d: %+v", by, i+1, s)
			}
		}
	}
}

// TestValidatedWithin has validations in the middle of an epoch, which goes on after them.
func TestValidatedWithin(t *testing.T) {
	s := state{Epochs: 2, Batches: 2, Sentences: 7, Loss: mean{1, 2}}
	if !s.validated(validation{5, 0}, 3, byBLEU) || s.Epochs != 2 || s.Batches != 2 || !s.measured() || s.Loss != (mean{}) || s.Best.Epoch != 3 {
		t.Errorf("after 2 of 3 batches: %+v, best %+v", s, s.Best)
	}
	s.learned(9, 4, 1)
	if s.measured() || s.validated(validation{6, 0}, 3, byBLEU) || s.Epochs != 3 || s.Batches != 0 || !s.measured() || s.Worse != 1 || s.Best.Epoch != 3 {
		t.Errorf("after the epoch: %+v, best %+v", s, s.Best)
	}
}

func TestEnd(t *testing.T) {
	for _, test := range []struct {
		options stopOptions
		state   state
		updates int
		want    string
	}{
		{stopOptions{epochs: 3}, state{Epochs: 2, Batches: 9, Worse: 100}, 29, ""},
		{stopOptions{epochs: 3}, state{Epochs: 3}, 30, endEpochs},
		{stopOptions{epochs: 3}, state{Epochs: 4}, 40, endEpochs},
		{stopOptions{epochs: 9, patience: 2}, state{Epochs: 3, Worse: 1}, 30, ""},
		{stopOptions{epochs: 9, patience: 2}, state{Epochs: 3, Worse: 2}, 30, endPatience},
		{stopOptions{epochs: 3, patience: 2}, state{Epochs: 3, Worse: 3}, 30, endPatience},
		{stopOptions{epochs: 3, updates: 30}, state{Epochs: 2, Batches: 9}, 29, ""},
		{stopOptions{epochs: 3, updates: 30}, state{Epochs: 3}, 30, endUpdates},
		{stopOptions{epochs: 3, updates: 31}, state{Epochs: 3}, 30, endEpochs},
		{stopOptions{epochs: 3, updates: 28}, state{Epochs: 2, Batches: 8, Sentences: 1}, 28, ""},
		{stopOptions{epochs: 3, updates: 28}, state{Epochs: 2, Batches: 8}, 28, endUpdates},
		{stopOptions{epochs: 3, updates: 28, patience: 2}, state{Epochs: 2, Batches: 9, Worse: 2}, 29, endUpdates},
		{stopOptions{epochs: 3, updates: 90, patience: 2}, state{Epochs: 2, Batches: 9, Worse: 2}, 29, endPatience},
		{stopOptions{epochs: 3, updates: 90, endless: true}, state{Epochs: 4}, 40, ""},
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
		want := "the best model is " + patience + " validations old; a higher --patience goes on\n"
		if !strings.HasSuffix(out, want) {
			t.Errorf("got\n%swant %s", out, want)
		}
	}
	sameResult(t, parts, whole)
}
