package main

import "time"

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
	SinceBest int             `json:"Worse"`      // validations since Best
}

// A bestValidation is the validation of the model in the model file.
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

// addBatch adds a batch and its loss before the update.
func (s *trainState) addBatch(loss float64, words, sentences int) {
	s.Batches++
	s.Loss.add(loss, words)
	s.Recent.add(loss, words)
	s.Sentences += sentences
}

// validated reports whether there was no update since the last validation.
func (s *trainState) validated() bool { return s.Sentences == 0 }

// addValidation adds a validation and reports whether it is the best so far. It completes the epoch
// if its last batch is.
func (s *trainState) addValidation(v validation, lastBatch bool, by criterion) (best bool) {
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
	Updating time.Duration `json:"Learning"` // of the updates since the last validation
	last     time.Time
}

// read returns the duration of the training so far.
func (s *stopwatch) read() time.Duration {
	now := time.Now()
	if !s.last.IsZero() {
		s.Training += now.Sub(s.last)
	}
	s.last = now
	return s.Training
}
