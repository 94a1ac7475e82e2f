package main

import (
	"io"
	"sync"
)

// A preparation shows the stages of preparing a training, one after the other, and warnings between
// them. After its end it shows nothing more: the work may go on in the background.
type preparation struct {
	stderr io.Writer
	start  progressFunc

	mu      sync.Mutex
	current progress // nil between stages
	ended   bool
}

func newPreparation(stderr io.Writer) *preparation {
	return &preparation{stderr: stderr, start: progressOn(stderr)}
}

// begin ends the current stage and begins another, see progressFunc.
func (s *preparation) begin(title, unit string, total int) progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
	if s.ended {
		return noProgress{}
	}
	s.current = s.start(title, unit, total)
	return preparationStage{s, s.current}
}

// write ends the current stage and writes messages.
func (s *preparation) write(messages []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
	if !s.ended {
		s.stderr.Write(messages)
	}
}

// end ends the current stage and all that follow.
func (s *preparation) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
	s.ended = true
}

func (s *preparation) finish() {
	if s.current != nil {
		s.current.done()
		s.current = nil
	}
}

// A preparationStage is the progress of one stage.
type preparationStage struct {
	of *preparation
	progress
}

func (s preparationStage) add(n int, status string) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.of.current == s.progress {
		s.progress.add(n, status)
	}
}

func (s preparationStage) done() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.of.current == s.progress {
		s.of.finish()
	}
}

// noProgress shows nothing.
type noProgress struct{}

func (noProgress) add(int, string) {}
func (noProgress) done()           {}
