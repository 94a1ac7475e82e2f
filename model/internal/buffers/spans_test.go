package buffers

import (
	"math/rand/v2"
	"testing"
)

// TestSpans adds and removes spans at random and checks that each keeps its values wherever it is.
func TestSpans(t *testing.T) {
	const most, size = 7, 50
	r, s, array := rand.New(rand.NewPCG(1, 2)), NewSpans(most, size), make([]int, size)
	lengths, moves, full := make(map[int]int), 0, 0
	move := func(to, from, n int) {
		moves++
		copy(array[to:to+n], array[from:from+n])
	}
	used := 0
	for step := range 10_000 {
		if n := r.IntN(15); len(lengths)+2 <= most && n <= size-used {
			start := s.Reserve(n, move)
			used += n
			first := r.IntN(n + 1)
			for _, part := range []int{first, n - first} {
				slot := s.Add(part)
				if lengths[slot] != 0 || s.Start(slot) != start {
					t.Fatalf("step %d: slot %d of length %d at %d, reserved at %d", step, slot, lengths[slot], s.Start(slot), start)
				}
				lengths[slot] = part
				for i := range part {
					array[start+i] = slot
				}
				start += part
			}
		} else {
			full++
			for slot, n := range lengths {
				if r.IntN(2) == 0 {
					s.Remove(slot)
					delete(lengths, slot)
					used -= n
				}
			}
		}
		if s.Count() != len(lengths) || s.Used() != used {
			t.Fatalf("step %d: %d spans of %d in all, want %d of %d", step, s.Count(), s.Used(), len(lengths), used)
		}
		for slot, n := range lengths {
			if s.Len(slot) != n {
				t.Fatalf("step %d: slot %d has length %d, want %d", step, slot, s.Len(slot), n)
			}
			for i := range n {
				if got := array[s.Start(slot)+i]; got != slot {
					t.Fatalf("step %d: slot %d has a value of slot %d", step, slot, got)
				}
			}
		}
	}
	if moves == 0 || full == 0 {
		t.Errorf("%d moves, %d times full, want some", moves, full)
	}
	s.Clear()
	if s.Count() != 0 || s.Used() != 0 || s.Reserve(size, move) != 0 {
		t.Error("an empty set has no room for all")
	}
}
