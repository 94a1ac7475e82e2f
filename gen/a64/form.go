package a64

import (
	"fmt"
	"strings"
)

// A form is an instruction on four float32 lanes that Go's assembler lacks: the name that Go's
// assembler would give it, its encoding with every register 0, and its operands. Encodings are
// those of the Arm Architecture Reference Manual, section C7.2.
type form struct {
	name   string
	word   uint32
	fields fields
}

// fields are the kinds of operands of a form.
type fields uint8

const (
	two    fields = iota // d, n
	three                // d, n, m
	byLane               // d, n and a lane of m
)

var (
	fadd  = form{"VFADD", 0x4e20d400, three}
	fsub  = form{"VFSUB", 0x4ea0d400, three}
	fmul  = form{"VFMUL", 0x6e20dc00, three}
	fdiv  = form{"VFDIV", 0x6e20fc00, three}
	fmax  = form{"VFMAX", 0x4e20f400, three}
	fmin  = form{"VFMIN", 0x4ea0f400, three}
	fcmgt = form{"VFCMGT", 0x6ea0e400, three}
	fabs  = form{"VFABS", 0x4ea0f800, two}
	fneg  = form{"VFNEG", 0x6ea0f800, two}
	fsqrt = form{"VFSQRT", 0x6ea1f800, two}
	fmla  = form{"VFMLA", 0x4f801000, byLane}
)

// forms lists every form, for the tests.
var forms = []*form{&fadd, &fsub, &fmul, &fdiv, &fmax, &fmin, &fcmgt, &fabs, &fneg, &fsqrt, &fmla}

// VFADD sets d = n + m.
func (f *Func) VFADD(m, n, d V) { f.word(&fadd, s4(d), s4(m), s4(n)) }

// VFSUB sets d = n - m.
func (f *Func) VFSUB(m, n, d V) { f.word(&fsub, s4(d), s4(m), s4(n)) }

// VFMUL sets d = n·m.
func (f *Func) VFMUL(m, n, d V) { f.word(&fmul, s4(d), s4(m), s4(n)) }

// VFDIV sets d = n/m.
func (f *Func) VFDIV(m, n, d V) { f.word(&fdiv, s4(d), s4(m), s4(n)) }

// VFMAX and VFMIN set d to the larger and the smaller of n and m, or to NaN if either is NaN. +0 is
// larger than -0.
func (f *Func) VFMAX(m, n, d V) { f.word(&fmax, s4(d), s4(m), s4(n)) }
func (f *Func) VFMIN(m, n, d V) { f.word(&fmin, s4(d), s4(m), s4(n)) }

// VFCMGT sets the bits of a lane of d to ones where n > m, and to zeros elsewhere.
func (f *Func) VFCMGT(m, n, d V) { f.word(&fcmgt, s4(d), s4(m), s4(n)) }

// VFABS sets d = |n|.
func (f *Func) VFABS(n, d V) { f.word(&fabs, s4(d), s4(n)) }

// VFNEG sets d = -n.
func (f *Func) VFNEG(n, d V) { f.word(&fneg, s4(d), s4(n)) }

// VFSQRT sets d = √n.
func (f *Func) VFSQRT(n, d V) { f.word(&fsqrt, s4(d), s4(n)) }

// VFMLALane adds n·m[index] to d, rounded once.
func (f *Func) VFMLALane(m V, index int, n, d V) {
	f.check(0 <= index && index < 4, "VFMLA", index)
	f.word(&fmla, s4(d), lane{m, index}, s4(n))
	f.last().reads.add(s4(d))
}

func (f *Func) word(o *form, to operand, from ...operand) {
	f.set(o.name, to, from...)
	f.last().form = o
}

// encode returns the word of o with the given operands, destination last.
func (o *form) encode(operands []operand, a assignment) uint32 {
	number := func(i int) uint32 { return uint32(a.v[operands[i].registers().v[0]]) }
	d := number(len(operands) - 1)
	n := number(len(operands) - 2)
	word := o.word | n<<5 | d
	if o.fields == two {
		return word
	}
	word |= number(0) << 16
	if l, ok := operands[0].(lane); ok {
		word |= uint32(l.index&1)<<21 | uint32(l.index>>1)<<11
	}
	return word
}

// syntax returns o in the syntax of the Arm manual, destination first.
func (o *form) syntax(operands []operand, a assignment) string {
	text := strings.ToLower(strings.TrimPrefix(o.name, "V"))
	separator := " "
	for i := len(operands) - 1; i >= 0; i-- {
		v := a.v[operands[i].registers().v[0]]
		if l, ok := operands[i].(lane); ok {
			text += fmt.Sprintf("%sv%d.s[%d]", separator, v, l.index)
		} else {
			text += fmt.Sprintf("%sv%d.4s", separator, v)
		}
		separator = ", "
	}
	return text
}
