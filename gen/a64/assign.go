package a64

import (
	"fmt"
	"math/bits"
)

// An assignment maps virtual registers to the registers of the machine.
type assignment struct {
	r, v    []int
	virtual bool // to the numbers in which they were handed out instead, in messages
}

func (a assignment) general(r R) string { return fmt.Sprintf("R%d", a.r[r]) }

// The registers that are assigned. R16 and R17 are reserved for the linker, R18 for the platform,
// R27 for the assembler, R28 for the goroutine, R29 and R30 for the stack frame.
var (
	generals = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26}
	vectors  = func() (all []int) {
		for i := range 32 {
			all = append(all, i)
		}
		return all
	}()
)

// assign maps registers that are live at the same time to different ones of the machine.
func (f *Func) assign() assignment {
	r := f.conflicts(int(f.generals), func(s registers) []int { return numbers(s.r) })
	v := f.conflicts(int(f.vectors), func(s registers) []int { return numbers(s.v) })
	return assignment{r: f.color("general", r, generals), v: f.color("vector", v, vectors)}
}

func numbers[T ~int](list []T) []int {
	var n []int
	for _, v := range list {
		n = append(n, int(v))
	}
	return n
}

// color maps registers, in the order in which they were handed out, to the first of the machine
// that no conflicting one has.
func (f *Func) color(kind string, conflicts []set, machine []int) []int {
	number := make([]int, len(conflicts))
	for i, others := range conflicts {
		taken := map[int]bool{}
		others.each(func(other int) {
			if other < i {
				taken[number[other]] = true
			}
		})
		number[i] = -1
		for _, m := range machine {
			if !taken[m] {
				number[i] = m
				break
			}
		}
		if number[i] < 0 {
			f.fail("more %s registers are live at the same time than the %d of the machine", kind, len(machine))
		}
	}
	return number
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

func (f *Func) targets() map[string]int {
	labels := map[string]int{}
	for at, i := range f.Instructions {
		if i.label {
			labels[i.name] = at
		}
	}
	return labels
}

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
