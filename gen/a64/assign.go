package a64

import "fmt"

// An assignment gives every register of a function a number of the machine's.
type assignment struct {
	r []int
	v []int
}

func (a assignment) general(r R) string { return fmt.Sprintf("R%d", a.r[r]) }

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
