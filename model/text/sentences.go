package text

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// A sentenceReader reads a file of one sentence per line.
type sentenceReader struct {
	name  string
	lines *LineReader
}

func newSentenceReader(name string, r io.Reader) *sentenceReader {
	return &sentenceReader{name, NewLineReader(r)}
}

// rest reads to the end of the file and returns its number of lines.
func (r *sentenceReader) rest() (lines int, err error) {
	for {
		if _, err := r.lines.Next(); err == io.EOF {
			return r.lines.Line(), nil
		} else if err != nil && !rejects(err) {
			return 0, err
		}
	}
}

// rejects reports whether an error is about one line and the reading can continue.
func rejects(err error) bool {
	_, ok := errors.AsType[*LineError](err)
	return ok
}

// locate adds the file and the line to an error of words.
func (r *sentenceReader) locate(err error) error {
	if rejected, ok := errors.AsType[*LineError](err); ok {
		return fmt.Errorf("%s:%d: %w", r.name, rejected.Line, rejected.Err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err // it names the file
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// empty returns the error for a file without lines.
func (r *sentenceReader) empty() error {
	return fmt.Errorf("%s: %w, expected one sentence a line", r.name, ErrEmptyFile)
}

// A store holds sentences in little memory: equal words share theirs, no slice has spare capacity,
// and the lines that the words come from can be freed.
type store struct {
	words map[string]string
	free  []string // memory for sentences
}

// keep returns a copy of the words.
func (s *store) keep(words []string) []string {
	const block = 1 << 12
	if s.words == nil {
		s.words = make(map[string]string)
	}
	n := len(words)
	if n > len(s.free) {
		s.free = make([]string, max(n, block))
	}
	kept := s.free[:n:n]
	s.free = s.free[n:]
	for i, word := range words {
		shared, ok := s.words[word]
		if !ok {
			shared = strings.Clone(word)
			s.words[shared] = shared
		}
		kept[i] = shared
	}
	return kept
}
