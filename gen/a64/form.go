package a64

import (
	"fmt"
	"strings"
)

// A form is an instruction that Go's assembler lacks: the name that Go's assembler would give it, its
// encoding with every register 0, its operands, and the arrangements of d and of n and m, which are
// S4 where they are empty. Encodings: Arm Architecture Reference Manual, section C7.2.
type form struct {
	name     string
	word     uint32
	fields   fields
	to, from string
}

// fields are the kinds of operands of a form.
type fields uint8

const (
	two    fields = iota // d, n
	three                // d, n, m
	byLane               // d, n and a lane of m
)

var (
	fadd  = form{name: "VFADD", word: 0x4e20d400, fields: three}
	fsub  = form{name: "VFSUB", word: 0x4ea0d400, fields: three}
	fmul  = form{name: "VFMUL", word: 0x6e20dc00, fields: three}
	fdiv  = form{name: "VFDIV", word: 0x6e20fc00, fields: three}
	fmax  = form{name: "VFMAX", word: 0x4e20f400, fields: three}
	fmin  = form{name: "VFMIN", word: 0x4ea0f400, fields: three}
	fcmgt = form{name: "VFCMGT", word: 0x6ea0e400, fields: three}
	fabs  = form{name: "VFABS", word: 0x4ea0f800, fields: two}
	fneg  = form{name: "VFNEG", word: 0x6ea0f800, fields: two}
	fsqrt = form{name: "VFSQRT", word: 0x6ea1f800, fields: two}
	fmla  = form{name: "VFMLA", word: 0x4f801000, fields: byLane}

	scvtf  = form{name: "VSCVTF", word: 0x4e21d800, fields: two}
	fcvtns = form{name: "VFCVTNS", word: 0x4e21a800, fields: two}
	smull  = form{"VSMULL", 0x0e20c000, three, "H8", "B8"}
	smull2 = form{"VSMULL2", 0x4e20c000, three, "H8", "B16"}
	sadalp = form{"VSADALP", 0x4e606800, two, "S4", "H8"}
	sdot   = form{"VSDOT", 0x4f80e000, byLane, "S4", "B16"}
	smmla  = form{"VSMMLA", 0x4e80a400, three, "S4", "B16"}

	bfmlalb = form{"VBFMLALB", 0x2ec0fc00, three, "S4", "H8"}
	bfmlalt = form{"VBFMLALT", 0x6ec0fc00, three, "S4", "H8"}
)

// forms lists every form, for the tests.
var forms = []*form{
	&fadd, &fsub, &fmul, &fdiv, &fmax, &fmin, &fcmgt, &fabs, &fneg, &fsqrt, &fmla,
	&scvtf, &fcvtns, &smull, &smull2, &sadalp, &sdot, &smmla, &bfmlalb, &bfmlalt,
}

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
	f.addWord(&fmla, d, lane{m, index}, s4(n))
}

// VSCVTF converts integers to float32.
func (f *Func) VSCVTF(n, d V) { f.word(&scvtf, s4(d), s4(n)) }

// VFCVTNS converts float32 to the nearest integers, ties to even.
func (f *Func) VFCVTNS(n, d V) { f.word(&fcvtns, s4(d), s4(n)) }

// VSMULL and VSMULL2 set the 16-bit lanes of d to the products of the bytes in the lower and in the upper
// halves of n and m.
func (f *Func) VSMULL(m, n, d V) {
	f.word(&smull, vector{d, "H8"}, vector{m, "B8"}, vector{n, "B8"})
}
func (f *Func) VSMULL2(m, n, d V) { f.word(&smull2, vector{d, "H8"}, b16(m), b16(n)) }

// VSADALP adds adjacent 16-bit lanes of n to the 32-bit lanes of d.
func (f *Func) VSADALP(n, d V) { f.addWord(&sadalp, d, vector{n, "H8"}) }

// VSDOTLane adds to each 32-bit lane of d the products of the four bytes there in n with the four bytes of
// lane index of m. It needs FEAT_DotProd.
func (f *Func) VSDOTLane(m V, index int, n, d V) {
	f.check(0 <= index && index < 4, "VSDOT", index)
	f.addWord(&sdot, d, lane{m, index}, b16(n))
}

// VSMMLA adds to d the product of matrices of bytes: lane 2i+j sums row i of n times row j of m.
// A row is half of a register. It needs FEAT_I8MM.
func (f *Func) VSMMLA(m, n, d V) { f.addWord(&smmla, d, b16(m), b16(n)) }

// VBFMLALB and VBFMLALT add to each 32-bit lane of d the product of the lower and of the upper bfloat16
// values there in n and m, rounded once. They need FEAT_BF16.
func (f *Func) VBFMLALB(m, n, d V) { f.addWord(&bfmlalb, d, vector{m, "H8"}, vector{n, "H8"}) }
func (f *Func) VBFMLALT(m, n, d V) { f.addWord(&bfmlalt, d, vector{m, "H8"}, vector{n, "H8"}) }

func (f *Func) word(o *form, to operand, from ...operand) {
	f.set(o.name, to, from...)
	f.last().form = o
}

// addWord is word for an instruction that adds to the lanes of d.
func (f *Func) addWord(o *form, d V, from ...operand) {
	f.word(o, s4(d), from...)
	f.last().reads.add(s4(d))
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
		switch operand := operands[i].(type) {
		case lane:
			kind := "s"
			if o == &sdot {
				kind = "4b"
			}
			text += fmt.Sprintf("%sv%d.%s[%d]", separator, v, kind, operand.index)
		case vector:
			kind := operand.arrangement
			text += fmt.Sprintf("%sv%d.%s%s", separator, v, kind[1:], strings.ToLower(kind[:1]))
		}
		separator = ", "
	}
	return text
}
