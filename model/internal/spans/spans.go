// Package spans divides an array into spans of different lengths that come and go.
package spans

import (
	"slices"
	"strconv"
)

// A Set knows which spans of an array are in use. Their owner has the array: where free space
// is scattered, Reserve moves the spans together. A set does not allocate after New.
type Set struct {
	size  int
	used  int    // by all spans
	spans []span // by slot
	order []int  // slots of the spans in use, by start
	free  []int  // slots
}

type span struct{ start, length int }

// Bytes is the memory for each span of a Set.
const Bytes = 4 * strconv.IntSize / 8

// New returns an empty set with room for that many spans of an array of that size.
func New(spans, size int) *Set {
	s := &Set{size: size, spans: make([]span, spans), order: make([]int, 0, spans), free: make([]int, 0, spans)}
	s.Clear()
	return s
}

// Clear removes all spans.
func (s *Set) Clear() {
	s.used, s.order, s.free = 0, s.order[:0], s.free[:0]
	for slot := len(s.spans) - 1; slot >= 0; slot-- {
		s.free = append(s.free, slot)
	}
}

// Reserve makes room of that length after the last span and returns its start. It calls move, in
// the order of an array, for each span that goes to another place; both places may overlap. The
// length must fit.
func (s *Set) Reserve(length int, move func(to, from, length int)) int {
	if end := s.end(); length <= s.size-end {
		return end
	}
	to := 0
	for _, slot := range s.order {
		p := &s.spans[slot]
		if p.start != to {
			move(to, p.start, p.length)
			p.start = to
		}
		to += p.length
	}
	return to
}

func (s *Set) end() int {
	if len(s.order) == 0 {
		return 0
	}
	last := s.spans[s.order[len(s.order)-1]]
	return last.start + last.length
}

// Add adds a span after the last one and returns its slot. The length must have been reserved.
func (s *Set) Add(length int) (slot int) {
	slot = s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	s.spans[slot] = span{s.end(), length}
	s.order = append(s.order, slot)
	s.used += length
	return slot
}

// Remove removes a span.
func (s *Set) Remove(slot int) {
	i := slices.Index(s.order, slot)
	s.order = slices.Delete(s.order, i, i+1)
	s.free = append(s.free, slot)
	s.used -= s.spans[slot].length
}

// Spans returns the number of spans in use.
func (s *Set) Spans() int { return len(s.order) }

// Used returns the length of all spans together.
func (s *Set) Used() int { return s.used }

// Start returns the index in the array at which a span starts.
func (s *Set) Start(slot int) int { return s.spans[slot].start }

// Len returns the length of a span.
func (s *Set) Len(slot int) int { return s.spans[slot].length }
