package a64

import "math/bits"

// A set of small integers.
type set []uint64

func newSet(n int) set   { return make(set, (n+63)/64) }
func (s set) put(i int)  { s[i/64] |= 1 << (i % 64) }
func (s set) drop(i int) { s[i/64] &^= 1 << (i % 64) }
func (s set) union(other set) {
	for i, w := range other {
		s[i] |= w
	}
}

func (s set) equal(other set) bool {
	for i, w := range other {
		if s[i] != w {
			return false
		}
	}
	return true
}

func (s set) each(f func(i int)) {
	for at, w := range s {
		for ; w != 0; w &= w - 1 {
			f(64*at + bits.TrailingZeros64(w))
		}
	}
}

// conflicts returns, for each of the n registers of a kind, those that are live where it is written
// or are written where it is live.
func (f *Func) conflicts(n int, pick func(registers) []int) []set {
	after := f.live(n, pick)
	conflicts := make([]set, n)
	for i := range conflicts {
		conflicts[i] = newSet(n)
	}
	for at, i := range f.Instructions {
		out, written := after(at), pick(i.writes)
		for _, w := range written {
			out.put(w)
		}
		for _, w := range written {
			out.each(func(other int) {
				if other != w {
					conflicts[w].put(other)
					conflicts[other].put(w)
				}
			})
		}
	}
	return conflicts
}

// live returns a function that returns which of the n registers of a kind are live after an
// instruction: read later and not written before that. It iterates the data-flow equations to
// their fixed point, and fails if a register is read before it is written.
func (f *Func) live(n int, pick func(registers) []int) (after func(at int) set) {
	count, labels := len(f.Instructions), f.targets()
	before := make([]set, count+1)
	for at := range before {
		before[at] = newSet(n)
	}
	after = func(at int) set {
		out, i := newSet(n), f.Instructions[at]
		if !i.ends {
			out.union(before[at+1])
		}
		if i.to != "" {
			target, ok := labels[i.to]
			if !ok {
				f.fail("branch to %s, which is not defined", i.to)
			}
			out.union(before[target])
		}
		return out
	}
	for changed := true; changed; {
		changed = false
		for at := count - 1; at >= 0; at-- {
			in, i := after(at), f.Instructions[at]
			for _, w := range pick(i.writes) {
				in.drop(w)
			}
			for _, r := range pick(i.reads) {
				in.put(r)
			}
			if !in.equal(before[at]) {
				before[at], changed = in, true
			}
		}
	}
	before[0].each(func(i int) { f.fail("register %d is read before it is written", i) })
	return after
}

// targets returns the indices of the labels.
func (f *Func) targets() map[string]int {
	labels := map[string]int{}
	for at, i := range f.Instructions {
		if i.label {
			labels[i.name] = at
		}
	}
	return labels
}
