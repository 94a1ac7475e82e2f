package a64

import (
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/gen/decl"
)

func newFunc() *Func {
	file := &File{Package: "p", Generator: "g", Constraint: "arm64"}
	return file.Function(decl.Func{Name: "F", Signature: "func(x *float32, n int, a float32) float32"})
}

// lines returns the instructions of f.
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
		t.Errorf("two registers that are live suffice:\n%s", text)
	}
}

// TestAssignLoop keeps a register that a loop reads, and that nothing reads behind the loop,
// apart from one that the loop writes after that.
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

// TestAssignDead keeps a register apart from one that is written and never read.
func TestAssignDead(t *testing.T) {
	f := newFunc()
	live, dead := f.Vector(), f.Vector()
	f.VMOVI(1, live)
	f.VMOVI(2, dead)
	f.Return(live)
	f.RET()
	if a := f.assign(); a.v[live] == a.v[dead] {
		t.Errorf("both registers are %d", a.v[live])
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
		"32 registers":       {many(32), ""},
		"33 registers":       {many(33), "more vector registers"},
		"a register not set": {undefined, "which nothing writes"},
		"a label not there":  {lost, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				message, _ := recover().(string)
				if !strings.Contains(message, test.want) || (message == "") != (test.want == "") {
					t.Errorf("panic %q, want %q in it", message, test.want)
				}
			}()
			test.f.assign()
		})
	}
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
