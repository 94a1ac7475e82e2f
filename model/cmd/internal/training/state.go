package training

import (
	"fmt"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// A trainState is how far a training has come, beside the state of its model.Trainer. It is part of
// the checkpoint, and depends only on the settings, on --progress-updates, and on the values of
// --updates at which earlier runs ended.
type trainState struct {
	Epochs    int             // completed, with their validation
	Batches   int             // completed in the current epoch
	Loss      mean            // since the last validation
	Recent    mean            // loss since the last progress record
	Sentences int             // since the last validation
	Best      *bestValidation `json:",omitempty"` // nil before the first validation
	SinceBest int             // validations since Best
}

type bestValidation struct {
	Epoch int // from 1
	validation
}

// epoch returns the number of the current epoch, from 1, or of the last one if none has begun after
// it.
func (s *trainState) epoch() int {
	if s.Batches == 0 && s.Epochs > 0 {
		return s.Epochs
	}
	return s.Epochs + 1
}

func (s *trainState) addUpdate(u update) {
	s.Batches++
	s.Loss.add(u.loss, u.words)
	s.Recent.add(u.loss, u.words)
	s.Sentences += u.Sentences
}

func (s *trainState) validated() bool { return s.Sentences == 0 }

// addValidation adds a validation and reports whether it is the best so far. It completes the epoch
// if its last batch is.
func (s *trainState) addValidation(v validation, lastBatch bool, by Criterion) (best bool) {
	s.Loss, s.Sentences = mean{}, 0
	if lastBatch {
		s.Epochs, s.Batches = s.Epochs+1, 0
	}
	if s.Best != nil && !v.better(s.Best.validation, by) {
		s.SinceBest++
		return false
	}
	s.Best, s.SinceBest = &bestValidation{s.epoch(), v}, 0
	return true
}

// A stopwatch measures a training across restarts. It is part of the checkpoint.
type stopwatch struct {
	Training time.Duration // total, up to the last read
	Updating time.Duration // of the updates since the last validation
	last     time.Time
}

func (s *stopwatch) read() time.Duration {
	now := time.Now()
	if !s.last.IsZero() {
		s.Training += now.Sub(s.last)
	}
	s.last = now
	return s.Training
}

// Limits say when a training ends; 0 is no limit.
type Limits struct {
	Epochs, Updates int
	Patience        int // consecutive validations without a better model
}

// updatesLeft returns the number of updates before the end of the epoch or of the training. The
// epoch has that many batches left, and updates is the number of updates so far.
func (l Limits) updatesLeft(batchesLeft, updates int) int {
	if l.Updates == 0 {
		return batchesLeft
	}
	return min(batchesLeft, max(0, l.Updates-updates))
}

// end returns the reason to end a training in state s, after that many updates, and a message, or ""
// if it continues. A training that --updates ends validates after the last update.
func (l Limits) end(s trainState, updates int) (reason, message string) {
	switch {
	case l.Updates > 0 && updates >= l.Updates && s.validated():
		return ReasonUpdates, fmt.Sprintf("complete after %s; a higher --updates continues", terminal.Plural(updates, "update"))
	case l.Patience > 0 && s.SinceBest >= l.Patience:
		return ReasonPatience, fmt.Sprintf("complete after %s: no better model in %s; a higher --patience continues",
			terminal.Plural(s.Epochs, "epoch"), terminal.Plural(s.SinceBest, "validation"))
	case l.Epochs > 0 && s.Epochs >= l.Epochs:
		return ReasonEpochs, fmt.Sprintf("complete after %s; a higher --epochs continues", terminal.Plural(s.Epochs, "epoch"))
	}
	return "", ""
}

func (l Limits) epochTitle(epoch int) string {
	if l.Epochs == 0 {
		return fmt.Sprintf("epoch %d", epoch)
	}
	return fmt.Sprintf("epoch %d of %d", epoch, l.Epochs)
}
