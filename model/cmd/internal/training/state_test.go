package training

import (
	"testing"
	"time"
)

func TestAddValidation(t *testing.T) {
	results := []validation{{5, 0}, {6, 0}, {4, 0}, {9, 3}, {1, 2}, {9, 3}, {1, 1}}
	for by, want := range map[Criterion][]bool{
		ByBLEU: {true, false, true, true, false, false, false},
		ByLoss: {true, false, true, false, true, false, false},
	} {
		s := trainState{}
		worse, epoch := 0, 0
		for i, result := range results {
			s.Batches, s.Sentences, s.Loss = 3, 7, mean{1, 2}
			if s.addValidation(result, true, by) {
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

// TestAddValidationWithin validates in the middle of an epoch and at its end.
func TestAddValidationWithin(t *testing.T) {
	s := trainState{Epochs: 2, Batches: 2, Sentences: 7, Loss: mean{1, 2}}
	if !s.addValidation(validation{5, 0}, false, ByBLEU) || s.Epochs != 2 || s.Batches != 2 || !s.validated() || s.Loss != (mean{}) || s.Best.Epoch != 3 {
		t.Errorf("after 2 of 3 batches: %+v, best %+v", s, s.Best)
	}
	s.addUpdate(update{throughput{1, 0}, 9, 4})
	if s.validated() || s.addValidation(validation{6, 0}, true, ByBLEU) || s.Epochs != 3 || s.Batches != 0 || !s.validated() || s.SinceBest != 1 || s.Best.Epoch != 3 {
		t.Errorf("after the epoch: %+v, best %+v", s, s.Best)
	}
}

func TestEnd(t *testing.T) {
	for _, test := range []struct {
		limits  Limits
		state   trainState
		updates int
		want    string
	}{
		{Limits{Epochs: 3}, trainState{Epochs: 2, Batches: 9, SinceBest: 100}, 29, ""},
		{Limits{Epochs: 3}, trainState{Epochs: 3}, 30, ReasonEpochs},
		{Limits{Epochs: 3}, trainState{Epochs: 4}, 40, ReasonEpochs},
		{Limits{Epochs: 9, Patience: 2}, trainState{Epochs: 3, SinceBest: 1}, 30, ""},
		{Limits{Epochs: 9, Patience: 2}, trainState{Epochs: 3, SinceBest: 2}, 30, ReasonPatience},
		{Limits{Epochs: 3, Patience: 2}, trainState{Epochs: 3, SinceBest: 3}, 30, ReasonPatience},
		{Limits{Epochs: 3, Updates: 30}, trainState{Epochs: 2, Batches: 9}, 29, ""},
		{Limits{Epochs: 3, Updates: 30}, trainState{Epochs: 3}, 30, ReasonUpdates},
		{Limits{Epochs: 3, Updates: 31}, trainState{Epochs: 3}, 30, ReasonEpochs},
		{Limits{Epochs: 3, Updates: 28}, trainState{Epochs: 2, Batches: 8, Sentences: 1}, 28, ""},
		{Limits{Epochs: 3, Updates: 28}, trainState{Epochs: 2, Batches: 8}, 28, ReasonUpdates},
		{Limits{Epochs: 3, Updates: 28, Patience: 2}, trainState{Epochs: 2, Batches: 9, SinceBest: 2}, 29, ReasonUpdates},
		{Limits{Epochs: 3, Updates: 90, Patience: 2}, trainState{Epochs: 2, Batches: 9, SinceBest: 2}, 29, ReasonPatience},
		{Limits{Updates: 90}, trainState{Epochs: 4}, 40, ""},
	} {
		if got, _ := test.limits.end(test.state, test.updates); got != test.want {
			t.Errorf("%+v at %+v, %d Updates: got %q, want %q", test.limits, test.state, test.updates, got, test.want)
		}
	}
}

func TestDue(t *testing.T) {
	for _, test := range []struct {
		saves   Saves
		updates int
		since   time.Duration
		want    bool
	}{
		{Saves{}, 100, time.Hour, false},
		{Saves{Updates: 5}, 10, 0, true},
		{Saves{Updates: 5}, 11, time.Hour, false},
		{Saves{Minutes: 10}, 1, 10*time.Minute - 1, false},
		{Saves{Minutes: 10}, 1, 10 * time.Minute, true},
		{Saves{Updates: 5, Minutes: 10}, 5, 0, true},
		{Saves{Updates: 5, Minutes: 10}, 6, 11 * time.Minute, true},
	} {
		if got := test.saves.due(test.updates, test.since); got != test.want {
			t.Errorf("%+v after %d updates and %v: %v", test.saves, test.updates, test.since, got)
		}
	}
}
