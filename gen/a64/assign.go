package a64

import "fmt"

// An assignment maps the registers of a function to those of the machine.
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
