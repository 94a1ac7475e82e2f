package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
	"github.com/softsearch-go/softsearch/model/text"
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
	if !s.addValidation(validation{5, 0}, false, byBLEU) || s.Epochs != 2 || s.Batches != 2 || !s.validated() || s.Loss != (mean{}) || s.Best.Epoch != 3 {
		t.Errorf("after 2 of 3 batches: %+v, best %+v", s, s.Best)
	}
	s.addBatch(9, 4, 1)
	if s.validated() || s.addValidation(validation{6, 0}, true, byBLEU) || s.Epochs != 3 || s.Batches != 0 || !s.validated() || s.SinceBest != 1 || s.Best.Epoch != 3 {
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

// TestPatience stops a model that is too small to learn much, and continues it with more patience, to
// the same bits as with that patience from the start.
func TestPatience(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	args := func(dir, patience string) []string {
		return trainArgs(t, dir, "--best-by", "loss", "--embedding", "1", "--hidden", "1", "--batch", "1",
			"--patience", patience, "--epochs", "1000")
	}
	mustTrain(t, args(whole, "4"))
	for _, patience := range []string{"2", "2", "4"} {
		out := mustTrain(t, args(parts, patience))
		want := "no better model in " + patience + " validations; a higher --patience\n  continues\n"
		if !strings.HasSuffix(out, want) {
			t.Errorf("got\n%swant %s", out, want)
		}
	}
	sameResult(t, parts, whole)
}

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
		case trainlog.EventValidation:
			events = append(events, fmt.Sprint(r["update"]))
		case trainlog.EventEnd:
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
// and kills between, to the same bits as a single training.
func TestMoreUpdates(t *testing.T) {
	more := strings.Fields("--optimizer adam --warmup 5 --dropout-readout 0.3 --checkpoint-updates 2")
	whole, epochs, parts := t.TempDir(), t.TempDir(), t.TempDir()
	mustTrain(t, updatesArgs(t, whole, "13", more...))
	mustTrain(t, trainArgs(t, epochs, append(more, "--epochs", "4", "--best-by", "loss")...))
	for _, updates := range []string{"3", "5", "6", "6", "11", "13"} {
		args := updatesArgs(t, parts, updates, more...)
		executeContext(canceledAfter(1), "", args...)
		killAfter(t, append(args, "--log", "json"), 2, 0)
		out := mustTrain(t, args)
		if want := "\ncomplete after " + updates + " updates; a higher --updates continues\n"; !strings.HasSuffix(out, want) {
			t.Errorf("got\n%swant %s", out, want)
		}
	}
	sameResult(t, parts, whole)
	mustTrain(t, trainArgs(t, parts, append(more, "--epochs", "4", "--best-by", "loss")...))
	sameResult(t, parts, epochs)
}

// TestFewerUpdates resumes after more updates than --updates allows: the training validates once and
// ends.
func TestFewerUpdates(t *testing.T) {
	short, dir, stderr := shortValidation(t), "", ""
	for n := int64(8); !strings.Contains(stderr, "interrupted after update 8:"); n++ {
		dir = t.TempDir()
		if _, stderr, _ = executeContext(canceledAfter(n), "", updatesArgs(t, dir, "20", short...)...); stderr == "" {
			t.Fatal("no interruption after update 8")
		}
	}
	for _, want := range []string{"8, 8 updates", "8 updates"} {
		if got := validations(t, mustTrain(t, updatesArgs(t, dir, "7", append(short, "--log", "json")...))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestUpdatesLoss compares the loss of a progress record that covers all updates between two
// validations with the training loss of the validation.
func TestUpdatesLoss(t *testing.T) {
	dir := t.TempDir()
	var losses [2][]any
	for _, updates := range []string{"2", "4"} {
		for _, r := range parse(t, mustTrain(t, updatesArgs(t, dir, updates, "--log", "json", "--progress-updates", "2"))) {
			switch r["event"] {
			case trainlog.EventProgress:
				losses[0] = append(losses[0], r["loss"])
			case trainlog.EventValidation:
				losses[1] = append(losses[1], r["loss"])
			}
		}
	}
	if len(losses[0]) != 2 || !slices.Equal(losses[0], losses[1]) {
		t.Errorf("losses of 2 updates %v, of validations after 2 updates %v", losses[0], losses[1])
	}
}

// TestSentencesLeft: a limit of words halves the batches of 8 sentences.
func TestSentencesLeft(t *testing.T) {
	file := write(t, "text", strings.Split(strings.Repeat("a b c d e f g h i\n", 100), "\n")[:100]...)
	c, err := corpus.Prepare(t.Context(), corpus.Settings{
		Source: []string{file}, Target: []string{file}, ValidSource: file, ValidTarget: file, VocabularySize: 100, MaxLength: 50,
	}, 1, corpus.Reporter{Begin: quiet, Messages: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ words, validUpdates, want int }{{0, 5, 40}, {0, 0, 100}, {40, 5, 20}, {40, 0, 100}} {
		tr := training{
			corpus: c, validUpdates: test.validUpdates,
			trainer: &trainer{Trainer: new(model.Trainer), batcher: text.NewCorpusBatcher(c.Train, 8, test.words, 1), batchSize: 8},
		}
		if got := tr.sentencesLeft(); got != test.want {
			t.Errorf("%d words a batch, validation every %d updates: %d sentences left, want %d", test.words, test.validUpdates, got, test.want)
		}
	}
}
