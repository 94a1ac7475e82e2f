package decode

import (
	"fmt"
	"slices"
	"sync"

	"github.com/softsearch-go/softsearch/model"
)

const (
	lengthStep = 64 // source lengths are rounded up to multiples of it
	batchRows  = 96 // hypotheses of a batch; more do not raise the throughput
)

// A shape is the capacity of a beam: hypotheses per sentence, sentences, and ids of a source and of
// a translation.
type shape struct{ width, sentences, source, target int }

// rows returns the number of hypotheses of all sentences.
func (s shape) rows() int { return s.width * s.sentences }

// bytes returns the size of a beam of shape s. It is a float64, which no length overflows.
func (t *Translator) bytes(s shape) float64 {
	const perRow, perStep = 100, 24 // bytes of a hypothesis, and of a step in the history
	rows, target, n := float64(s.rows()), float64(s.target), 0.0
	for _, m := range t.models {
		n += float64(model.StepperBytes(m.Config, s.sentences, s.rows(), s.source))
		if len(t.models) > 1 {
			n += float64(4 * rows * float64(m.Config.TargetVocab))
		}
	}
	n += float64(rows*perRow) + float64(target*8) + float64(target*rows*perStep)
	if t.aligns() {
		n += float64(4 * rows * target * float64(s.source))
	}
	return n
}

// aligns reports whether searches keep alignments.
func (t *Translator) aligns() bool {
	return !t.options.NoAlignments && slices.ContainsFunc(t.models, hasAlignments)
}

func hasAlignments(m *model.Model) bool { return m.Config.Kind == model.RNNsearch }

// shapeFor returns the shape of the beams for sources of that many ids and translations of up to
// target ids: the longer they are, the fewer sentences make a batch. The error wraps ErrCapacity if
// a single sentence exceeds the memory.
func (t *Translator) shapeFor(width, source, target int) (shape, error) {
	s := shape{width, 1, roundUp(source), target}
	memory := float64(t.options.Memory)
	if t.bytes(s) > memory {
		return shape{}, fmt.Errorf("source of %d words, beam of %d and translation of up to %d words take %.1f MiB: %w of %.1f MiB",
			source, width, target, t.bytes(s)/(1<<20), model.ErrCapacity, memory/(1<<20))
	}
	s.sentences = max(1, batchRows/width*lengthStep/s.source)
	for s.sentences > 1 && t.bytes(s) > memory/float64(t.options.Threads) {
		s.sentences--
	}
	return s, nil
}

// roundUp returns the smallest multiple of lengthStep that is at least n, for n ≥ 1.
func roundUp(n int) int { return n + (lengthStep - 1) - (n-1)%lengthStep }

// A store lends beams to workers and keeps idle ones for reuse, within a limit of bytes.
type store struct {
	mutex   sync.Mutex
	changed sync.Cond
	limit   float64
	used    float64 // by all beams, lent or idle
	idle    []*beam // least recently used first
	next    int     // ticket of the next call of borrow
	served  int     // tickets that have been served
}

// borrow returns an idle beam of the shape, or nil if the caller is to make one, for which it has
// reserved bytes. If there is not enough memory, it waits until other workers restore theirs. Calls
// are served in order, so that a large beam does not wait forever.
func (s *store) borrow(want shape, bytes float64) *beam {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	ticket := s.next
	s.next++
	for ticket != s.served {
		s.changed.Wait()
	}
	defer func() {
		s.served++
		s.changed.Broadcast()
	}()
	for {
		if i := slices.IndexFunc(s.idle, func(b *beam) bool { return b.shape == want }); i >= 0 {
			b := s.idle[i]
			s.idle = slices.Delete(s.idle, i, i+1)
			return b
		}
		for len(s.idle) > 0 && s.used+bytes > s.limit {
			s.drop()
		}
		if s.used+bytes <= s.limit {
			s.used += bytes
			return nil
		}
		s.changed.Wait()
	}
}

// drop frees the least recently used idle beam.
func (s *store) drop() {
	s.used -= s.idle[0].bytes
	s.idle = slices.Delete(s.idle, 0, 1)
}

// restore takes a beam back and keeps at most maxIdle idle ones.
func (s *store) restore(b *beam, maxIdle int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.idle = append(s.idle, b)
	if len(s.idle) > maxIdle {
		s.drop()
	}
	s.changed.Broadcast()
}
