package a64

import (
	"fmt"
	"math/bits"
)

// An assignment gives every register of a function a number of the machine's.
type assignment struct {
	r []int
	v []int
}

func (a assignment) general(r R) string {
	if r == ZR {
		return "ZR"
	}
	return fmt.Sprintf("R%d", a.r[r])
}

// The machine's registers. R16 and R17 belong to the linker between functions, R18 to the
// platform, R27 to the assembler, R28 to the goroutine, R29 and R30 to the stack frame.
var (
	generals = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26}
	vectors  = func() (all []int) {
		for i := range 32 {
			all = append(all, i)
		}
		return all
	}()
)

// assign gives registers that are live at the same time different numbers, the lowest first.
func (f *Func) assign() assignment {
	general, vector := f.live(int(f.generals), func(s registers) []int { return numbers(s.r) }),
		f.live(int(f.vectors), func(s registers) []int { return numbers(s.v) })
	return assignment{
		r: f.color("general", general, generals),
		v: f.color("vector", vector, vectors),
	}
}

func numbers[T ~int](list []T) []int {
	var n []int
	for _, v := range list {
		n = append(n, int(v))
	}
	return n
}

// A set of small integers.
type set []uint64

func newSet(n int) set       { return make(set, (n+63)/64) }
func (s set) put(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) drop(i int)     { s[i/64] &^= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
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

// live returns, for each of n registers, those that are live where it is written, from the
// registers that each instruction leaves live. Nothing may be live at the start.
func (f *Func) live(n int, pick func(registers) []int) (conflicts []set) {
	labels := map[string]int{}
	for at, i := range f.Instructions {
		if i.label {
			labels[i.name] = at
		}
	}
	count := len(f.Instructions)
	before := make([]set, count+1)
	for at := range before {
		before[at] = newSet(n)
	}
	after := func(at int) set {
		out, i := newSet(n), f.Instructions[at]
		if !i.ends {
			out.union(before[at+1])
		}
		if i.to != "" {
			target, ok := labels[i.to]
			check(ok, f.Name, "a branch to "+i.to)
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
	before[0].each(func(i int) { check(false, f.Name, fmt.Sprintf("register %d, which nothing writes", i)) })

	conflicts = make([]set, n)
	for i := range conflicts {
		conflicts[i] = newSet(n)
	}
	for at, i := range f.Instructions {
		out := after(at)
		for _, w := range pick(i.writes) {
			out.put(w)
		}
		for _, w := range pick(i.writes) {
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

// color numbers registers in the order of their making.
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
		check(number[i] >= 0, f.Name, fmt.Sprintf("more %s registers than the machine has", kind))
	}
	return number
}
