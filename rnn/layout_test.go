package rnn

import (
	"math"
	"slices"
	"testing"
)

func TestLayout(t *testing.T) {
	l := NewLayout(4)
	for _, lengths := range [][]int{
		{4, 4, 2, 1, 1}, {1}, {4}, {2, 2, 2}, {}, {4, 3, 2, 1}, {1, 1, 1, 1, 1, 1, 1}, {7, 1},
	} {
		l.Set(lengths)
		row, steps := 0, 0
		if len(lengths) > 0 {
			steps = lengths[0]
		}
		if l.Steps() != steps {
			t.Errorf("%v: Steps: got %d, want %d", lengths, l.Steps(), steps)
		}
		for step := range steps {
			active := len(slices.DeleteFunc(slices.Clone(lengths), func(n int) bool { return n <= step }))
			if l.Active(step) != active || l.Row(step) != row {
				t.Errorf("%v: step %d: got %d active from row %d, want %d from %d", lengths, step, l.Active(step), l.Row(step), active, row)
			}
			row += active
		}
		if l.Row(steps) != row || l.Rows() != row {
			t.Errorf("%v: got %d rows and end %d, want %d", lengths, l.Rows(), l.Row(steps), row)
		}
		for _, step := range []int{-1, steps, steps + 1} {
			if n := l.Active(step); n != 0 {
				t.Errorf("%v: step %d: got %d active, want 0", lengths, step, n)
			}
		}
	}
}

func TestLayoutPanics(t *testing.T) {
	const want = "rnn: Layout: lengths must be positive and descending"
	for _, lengths := range [][]int{{0}, {-1}, {3, 0}, {1, 2}, {5, 3, 4}, {2, 1, -7}} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%v: got panic %v, want %q", lengths, got, want)
				}
			}()
			l := NewLayout(9)
			l.Set(lengths)
		}()
	}
}

func TestLayoutTooLong(t *testing.T) {
	huge := []int{maxPositions + 1, math.MaxInt - 1, math.MaxInt}
	for _, steps := range append(huge, -1, math.MinInt) {
		if got := panics(func() { NewLayout(steps) }); got != "rnn: NewLayout: steps out of range" {
			t.Errorf("NewLayout(%d): panic %v", steps, got)
		}
	}
	lists := [][]int{{maxPositions, 1}, {maxPositions/2 + 1, maxPositions/2 + 1}, {math.MaxInt, math.MaxInt, 2}}
	for _, n := range huge {
		lists = append(lists, []int{n})
	}
	for _, lengths := range lists {
		l := NewLayout(1)
		if got := panics(func() { l.Set(lengths) }); got != "rnn: Layout: too many positions" || l.Rows() != 0 {
			t.Errorf("%v: panic %v, %d rows", lengths, got, l.Rows())
		}
	}
}

func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestLayoutAllocatesNothing(t *testing.T) {
	l := NewLayout(5)
	lists := [][]int{{5, 4, 1}, {1}, {5, 5, 5, 5, 5}, {2, 1}}
	if n := testing.AllocsPerRun(10, func() {
		for _, lengths := range lists {
			l.Set(lengths)
		}
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
