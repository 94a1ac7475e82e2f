package a64

import "fmt"

// An operand prints itself given an assignment of its registers.
type operand interface {
	text(a assignment) string
	registers() registers
}

// registers are the registers of operands.
type registers struct {
	r []R
	v []V
}

func (s *registers) add(o operand) {
	more := o.registers()
	s.r, s.v = append(s.r, more.r...), append(s.v, more.v...)
}

// A vector is a whole register in an arrangement such as S4.
type vector struct {
	V
	arrangement string
}

func (o vector) text(a assignment) string { return fmt.Sprintf("V%d.%s", a.v[o.V], o.arrangement) }
func (o vector) registers() registers     { return registers{v: []V{o.V}} }

func s4(v V) vector  { return vector{v, "S4"} }
func d2(v V) vector  { return vector{v, "D2"} }
func b16(v V) vector { return vector{v, "B16"} }

// A list is the single register of a load into every lane.
type list struct{ V }

func (o list) text(a assignment) string { return fmt.Sprintf("[V%d.S4]", a.v[o.V]) }
func (o list) registers() registers     { return registers{v: []V{o.V}} }

// A lane is one float32 of a register.
type lane struct {
	V
	index int
}

func (o lane) text(a assignment) string { return fmt.Sprintf("V%d.S[%d]", a.v[o.V], o.index) }
func (o lane) registers() registers     { return registers{v: []V{o.V}} }

// An upper is the upper half of a register.
type upper struct{ V }

func (o upper) text(a assignment) string { return fmt.Sprintf("V%d.D[1]", a.v[o.V]) }
func (o upper) registers() registers     { return registers{v: []V{o.V}} }

// A float is a vector register as a scalar, or as the 128 bits of a move.
type float struct{ V }

func (o float) text(a assignment) string { return fmt.Sprintf("F%d", a.v[o.V]) }
func (o float) registers() registers     { return registers{v: []V{o.V}} }

// A pair is the two registers of a load or store of a pair.
type pair struct{ first, second V }

func (o pair) text(a assignment) string {
	return fmt.Sprintf("(F%d, F%d)", a.v[o.first], a.v[o.second])
}
func (o pair) registers() registers { return registers{v: []V{o.first, o.second}} }

// A general is a general register.
type general struct{ R }

func (o general) text(a assignment) string { return a.general(o.R) }
func (o general) registers() registers     { return registers{r: []R{o.R}} }

// A memory operand is at base+disp.
type memory struct {
	base R
	disp int
}

func (o memory) text(a assignment) string {
	if o.disp == 0 {
		return fmt.Sprintf("(%s)", a.general(o.base))
	}
	return fmt.Sprintf("%d(%s)", o.disp, a.general(o.base))
}
func (o memory) registers() registers { return registers{r: []R{o.base}} }

// An indexed operand is at base+index bytes.
type indexed struct{ base, index R }

func (o indexed) text(a assignment) string {
	return fmt.Sprintf("(%s)(%s)", a.general(o.base), a.general(o.index))
}
func (o indexed) registers() registers { return registers{r: []R{o.base, o.index}} }

// An immediate is a constant.
type immediate int

func (o immediate) text(assignment) string { return fmt.Sprintf("$%d", int(o)) }
func (o immediate) registers() registers   { return registers{} }

// A name is an argument, a symbol or a label.
type name string

func (o name) text(assignment) string { return string(o) }
func (o name) registers() registers   { return registers{} }
