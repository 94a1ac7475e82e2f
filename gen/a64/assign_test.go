package a64

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/gen/decl"
)

func newFunc() *Func {
	file := &File{Package: "p", Generator: "g", Constraint: "arm64"}
	return file.Function(decl.Func{Name: "F", Signature: "func(x *float32, n int, a float32) float32"})
}

func lines(f *Func) string {
	_, text, _ := strings.Cut(string(f.file.Assembly()), "TEXT ")
	_, text, _ = strings.Cut(text, "\n")
	return text
}

func TestAssignReuses(t *testing.T) {
	f := newFunc()
	for range 100 {
		a, b := f.Vector(), f.Vector()
		f.VMOVI(1, a)
		f.VMOV(a, b)
		f.VFADD(a, b, b)
	}
	if text := lines(f); strings.Contains(text, "V2") {
		t.Errorf("want no more than the two registers that are live:\n%s", text)
	}
}

// TestAssignLoop: a register that a loop reads stays live throughout the loop, so it conflicts with
// one that the loop writes after the read.
func TestAssignLoop(t *testing.T) {
	f := newFunc()
	n, kept, sum, other := f.Arg("n"), f.Vector(), f.Vector(), f.Vector()
	f.VMOVI(1, kept)
	f.VMOVI(0, sum)
	f.Label("loop")
	f.VFADD(kept, sum, sum)
	f.VMOVI(2, other)
	f.VFADD(other, sum, sum)
	f.SUBSI(1, n, n)
	f.BNE("loop")
	f.Return(sum)
	f.RET()
	a := f.assign()
	if a.v[kept] == a.v[other] || a.v[kept] == a.v[sum] || a.v[sum] == a.v[other] {
		t.Errorf("kept, sum and other are in registers %d, %d and %d", a.v[kept], a.v[sum], a.v[other])
	}
}

// TestAssignBranch: a register that is read only at the target of a branch conflicts with one that
// is written before the branch.
func TestAssignBranch(t *testing.T) {
	for name, branch := range map[string]func(f *Func, n R){
		"BEQ": func(f *Func, n R) { f.BEQ("far") },
		"CBZ": func(f *Func, n R) { f.CBZ(n, "far") },
		"B":   func(f *Func, n R) { f.B("far") },
	} {
		f := newFunc()
		n, kept, other := f.Arg("n"), f.Vector(), f.Vector()
		f.VMOVI(1, kept)
		f.VMOVI(2, other)
		branch(f, n)
		f.Return(other)
		f.RET()
		f.Label("far")
		f.Return(kept)
		f.RET()
		if a := f.assign(); a.v[kept] == a.v[other] {
			t.Errorf("%s: both registers are %d", name, a.v[kept])
		}
	}
}

// TestAssignDead: a register that is written and never read still conflicts with those that are
// live there, and so do the two registers of a pair with each other.
func TestAssignDead(t *testing.T) {
	f := newFunc()
	x, live, dead, first, second := f.Arg("x"), f.Vector(), f.Vector(), f.Vector(), f.Vector()
	f.FLDPQ(x, 0, first, second)
	f.VMOVI(1, live)
	f.VMOVI(2, dead)
	f.Return(live)
	f.RET()
	if a := f.assign(); a.v[live] == a.v[dead] || a.v[first] == a.v[second] {
		t.Errorf("live, dead and the pair are in registers %d, %d, %d and %d", a.v[live], a.v[dead], a.v[first], a.v[second])
	}
}

// TestReserved: no register is assigned that the linker, the platform, the assembler, the goroutine
// or the stack frame uses, nor R31, which reads as 0.
func TestReserved(t *testing.T) {
	for _, r := range []int{16, 17, 18, 27, 28, 29, 30, 31} {
		if slices.Contains(generals, r) {
			t.Errorf("R%d is assigned", r)
		}
	}
}

func TestAssignLimits(t *testing.T) {
	many := func(n int) *Func {
		f := newFunc()
		list := make([]V, n)
		for i := range list {
			list[i] = f.Vector()
			f.VMOVI(i, list[i])
		}
		for _, v := range list {
			f.Return(v)
		}
		return f
	}
	undefined := newFunc()
	undefined.Return(undefined.Vector())
	lost := newFunc()
	lost.B("nowhere")
	for name, test := range map[string]struct {
		f    *Func
		want string
	}{
		"32 registers":        {many(32), ""},
		"33 registers":        {many(33), "more vector registers"},
		"read before written": {undefined, "read before it is written"},
		"undefined label":     {lost, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				message, _ := recover().(string)
				if !strings.Contains(message, test.want) || (message == "") != (test.want == "") {
					t.Errorf("panic %q, want one with %q", message, test.want)
				}
			}()
			test.f.assign()
		})
	}
}

// TestFail: the message of a failed check ends with the function so far.
func TestFail(t *testing.T) {
	defer func() {
		message, _ := recover().(string)
		for _, want := range []string{"a64: F: ADD does not take 4096", "\tMOVD    n+8(FP), R0\n", "\t// the sum\n", "\tfadd v1.4s, v0.4s, v0.4s\n"} {
			if !strings.Contains(message, want) {
				t.Errorf("panic\n%s\nwithout %q", message, want)
			}
		}
	}()
	f := newFunc()
	n, a, b := f.Arg("n"), f.Vector(), f.Vector()
	f.VMOVI(0, a)
	f.Comment("the %s", "sum")
	f.VFADD(a, a, b)
	f.ADDI(4096, n, n)
}

// TestFrame compares offsets with those of Go's ABI0.
func TestFrame(t *testing.T) {
	arguments, size := frame(decl.Func{Name: "F", Signature: "func(x, y *float32, n int, a, b, c float32) float32"})
	want := map[string]argument{
		"x": {0, false}, "y": {8, false}, "n": {16, false},
		"a": {24, true}, "b": {28, true}, "c": {32, true}, "ret": {40, true},
	}
	for name, place := range want {
		if arguments[name] != place {
			t.Errorf("%s is at %v, want %v", name, arguments[name], place)
		}
	}
	if size != 44 || len(arguments) != len(want) {
		t.Errorf("%d arguments in %d bytes, want %d in 44", len(arguments), size, len(want))
	}
}
