package main

import "time"

// A state is where a training stands, beside what the trainer saves. All of it follows from
// the settings, from --progress-updates, and from each --updates that the training ended at.
type state struct {
	Epochs    int   // complete, with their validation
	Batches   int   // learnt of the next one
	Loss      mean  // since the last validation
	Recent    mean  // loss since the last progress in the log
	Sentences int   // since the last validation
	Best      *best `json:",omitempty"` // nil before the first validation
	Worse     int   // validations in a row that were not better than the best
}

// A best is the validation of the model in the model file.
type best struct {
	Epoch int // from 1
	validation
}

// epoch returns the number of the epoch in work, from 1, or between two of them that of the one
// that is complete.
func (s *state) epoch() int {
	if s.Batches == 0 && s.Epochs > 0 {
		return s.Epochs
	}
	return s.Epochs + 1
}

// learned adds a batch and its loss, before its update.
func (s *state) learned(loss float64, words, sentences int) {
	s.Batches++
	s.Loss.add(loss, words)
	s.Recent.add(loss, words)
	s.Sentences += sentences
}

// measured reports whether no batch has been learnt since the last validation.
func (s *state) measured() bool { return s.Sentences == 0 }

// validated adds a validation, which ends an epoch of so many batches if all of them are learnt,
// and reports whether the model is the best so far.
func (s *state) validated(result validation, batches int, by criterion) bool {
	s.Loss, s.Sentences = mean{}, 0
	if s.Batches == batches {
		s.Epochs, s.Batches = s.Epochs+1, 0
	}
	if s.Best != nil && !result.better(s.Best.validation, by) {
		s.Worse++
		return false
	}
	s.Best, s.Worse = &best{s.epoch(), result}, 0
	return true
}

// A clock measures a training across its restarts.
type clock struct {
	Training time.Duration // in all, up to the last call of read
	Learning time.Duration // of the updates since the last validation
	last     time.Time
}

// read returns the time of the training so far.
func (c *clock) read() time.Duration {
	now := time.Now()
	if !c.last.IsZero() {
		c.Training += now.Sub(c.last)
	}
	c.last = now
	return c.Training
}

// speed returns the number of things that were done in each second of a time.
func speed(things int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(things) / d.Seconds()
}
