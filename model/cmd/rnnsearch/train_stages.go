package main

import (
	"io"
	"sync"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
)

// A preparation shows the stages of preparing a training, one after the other, and warnings between
// them. After its end it shows nothing more: the work may go on in the background.
type preparation struct {
	stderr io.Writer
	start  terminal.Start

	mu      sync.Mutex
	current terminal.Progress // nil between stages
	ended   bool
	unlock  []func() // locks that the end releases
}

func newPreparation(stderr io.Writer) *preparation {
	return &preparation{stderr: stderr, start: terminal.ProgressOn(stderr)}
}

// begin ends the current stage and begins another, see terminal.Start.
func (s *preparation) begin(title, unit string, total int) terminal.Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
	if s.ended {
		return terminal.NoProgress{}
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

// end ends the current stage and all that follow, and releases the locks.
func (s *preparation) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
	s.ended = true
	for _, unlock := range s.unlock {
		unlock()
	}
}

// lock calls try, which takes a lock and returns the function that releases it, unless s has ended. The
// end of s releases the lock if the caller has not.
func (s *preparation) lock(try func() (unlock func(), err error)) (unlock func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, terminal.ErrInterrupted
	}
	if unlock, err = try(); err != nil {
		return nil, err
	}
	unlock = sync.OnceFunc(unlock)
	s.unlock = append(s.unlock, unlock)
	return unlock, nil
}

// create starts an output that may replace a file, unless s has ended.
func (s *preparation) create(path string) (*files.Output, error) {
	if s.hasEnded() {
		return nil, terminal.ErrInterrupted
	}
	return files.Create(path, true)
}

// temporary creates a temporary file beside path, unless s has ended.
func (s *preparation) temporary(path string) (*files.Temporary, error) {
	if s.hasEnded() {
		return nil, terminal.ErrInterrupted
	}
	return files.NewTemporary(path)
}

func (s *preparation) hasEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

func (s *preparation) finish() {
	if s.current != nil {
		s.current.Done()
		s.current = nil
	}
}

// A preparationStage is the progress of one stage.
type preparationStage struct {
	of *preparation
	terminal.Progress
}

func (s preparationStage) Add(n int, status string) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.of.current == s.Progress {
		s.Progress.Add(n, status)
	}
}

func (s preparationStage) Done() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.of.current == s.Progress {
		s.of.finish()
	}
}
