// Package buffers bounds the bytes of a buffer, and divides one into spans of different lengths that come and go.
package buffers

import (
	"math"
	"slices"
	"strconv"
)

// MaxBytes is the most that the parameters of a model or the buffers of a constructor take. No address
// space is larger, and an int counts the bytes of a buffer with its alignment (see kernels.Alloc).
const MaxBytes = min(space, math.MaxInt) - 2<<20

// Spans know which spans of an array are in use. Their owner has the array: where no gap
// between them is long enough, Reserve moves them together. Spans do not allocate after NewSpans.
type Spans struct {
	size  int
	used  int    // by all spans
	spans []span // by slot
	order []int  // slots of the spans in use, by start
	free  []int  // slots

	// Where Add adds a span, since Reserve.
	start int // in the array
	next  int // in order
}

type span struct{ start, length int }

// SpanBytes is the memory for each of the spans.
const SpanBytes = 4 * strconv.IntSize / 8

// NewSpans returns no spans, with room for that many spans of an array of that size.
func NewSpans(spans, size int) *Spans {
	s := &Spans{size: size, spans: make([]span, spans), order: make([]int, 0, spans), free: make([]int, 0, spans)}
	s.Clear()
	return s
}

// Clear removes all spans.
func (s *Spans) Clear() {
	s.used, s.start, s.next, s.order, s.free = 0, 0, 0, s.order[:0], s.free[:0]
	for slot := len(s.spans) - 1; slot >= 0; slot-- {
		s.free = append(s.free, slot)
	}
}

// Reserve makes room of that length, in the first gap that has it, and returns its start. If none has, it calls move,
// in the order of an array, for each span that goes to another place; both places may overlap. The length must fit.
func (s *Spans) Reserve(length int, move func(to, from, length int)) int {
	s.start = 0
	for i, slot := range s.order {
		p := s.spans[slot]
		if p.start-s.start >= length {
			s.next = i
			return s.start
		}
		s.start = p.start + p.length
	}
	s.next = len(s.order)
	if length <= s.size-s.start {
		return s.start
	}
	s.start = 0
	for _, slot := range s.order {
		p := &s.spans[slot]
		if p.start != s.start {
			move(s.start, p.start, p.length)
			p.start = s.start
		}
		s.start += p.length
	}
	return s.start
}

// Add adds a span at the start of what has been reserved and is left, and returns its slot.
func (s *Spans) Add(length int) (slot int) {
	slot = s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	s.spans[slot] = span{s.start, length}
	s.order = slices.Insert(s.order, s.next, slot)
	s.start, s.next = s.start+length, s.next+1
	s.used += length
	return slot
}

// Remove removes a span.
func (s *Spans) Remove(slot int) {
	i := slices.Index(s.order, slot)
	s.order = slices.Delete(s.order, i, i+1)
	s.free = append(s.free, slot)
	s.used -= s.spans[slot].length
}

// Count returns the number of spans in use.
func (s *Spans) Count() int { return len(s.order) }

// Used returns the length of all spans together.
func (s *Spans) Used() int { return s.used }

// Start returns the index in the array at which a span starts.
func (s *Spans) Start(slot int) int { return s.spans[slot].start }

// Len returns the length of a span.
func (s *Spans) Len(slot int) int { return s.spans[slot].length }
