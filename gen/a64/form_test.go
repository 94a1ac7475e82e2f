package a64

import (
	"cmp"
	"encoding/binary"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// TestForms decodes every form with every register in every operand.
func TestForms(t *testing.T) {
	a := assignment{v: vectors}
	for _, o := range forms {
		if o == &sdot || o == &smmla || o == &bfmlalb || o == &bfmlalt { // arm64asm does not know it; the tests of the words of asm/neon do
			continue
		}
		to, from := cmp.Or(o.to, "S4"), cmp.Or(o.from, "S4")
		for i := range V(32) {
			d, n, m := i, (i+11)%32, (i+22)%32
			for index := range 4 {
				operands := []operand{vector{m, from}, vector{n, from}, vector{d, to}}
				switch o.fields {
				case two:
					operands = operands[1:]
				case byLane:
					operands[0] = lane{m, index}
				}
				word, want := o.encode(operands, a), o.syntax(operands, a)
				decoded, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, word))
				if got := arm64asm.GNUSyntax(decoded); got != want || err != nil {
					t.Errorf("%#08x decodes to %s (%v), want %s", word, got, err, want)
				}
			}
		}
	}
}

// TestRanges tries operands just outside the range of each instruction.
func TestRanges(t *testing.T) {
	for name, wrong := range map[string]func(f *Func, r R, v V){
		"ADD 4096":         func(f *Func, r R, v V) { f.ADDI(4096, r, r) },
		"SUB -1":           func(f *Func, r R, v V) { f.SUBI(-1, r, r) },
		"LSL 64":           func(f *Func, r R, v V) { f.LSLI(64, r, r) },
		"LSL -1":           func(f *Func, r R, v V) { f.LSLI(-1, r, r) },
		"MOVD 4096":        func(f *Func, r R, v V) { f.MOVDI(4096, r) },
		"VSHL 32":          func(f *Func, r R, v V) { f.VSHL(32, v, v) },
		"VSHL -1":          func(f *Func, r R, v V) { f.VSHL(-1, v, v) },
		"VUSHR 0":          func(f *Func, r R, v V) { f.VUSHR(0, v, v) },
		"VUSHR 33":         func(f *Func, r R, v V) { f.VUSHR(33, v, v) },
		"VSRI 0":           func(f *Func, r R, v V) { f.VSRI(0, v, v) },
		"VSRI 33":          func(f *Func, r R, v V) { f.VSRI(33, v, v) },
		"VEXT 16":          func(f *Func, r R, v V) { f.VEXT(16, v, v, v) },
		"VEXT -1":          func(f *Func, r R, v V) { f.VEXT(-1, v, v, v) },
		"VMOVI 256":        func(f *Func, r R, v V) { f.VMOVI(256, v) },
		"VMOVI -1":         func(f *Func, r R, v V) { f.VMOVI(-1, v) },
		"VDUP 4":           func(f *Func, r R, v V) { f.VDUP(v, 4, v) },
		"VDUP -1":          func(f *Func, r R, v V) { f.VDUP(v, -1, v) },
		"VFMLA lane 4":     func(f *Func, r R, v V) { f.VFMLALane(v, 4, v, v) },
		"VFMLA lane -1":    func(f *Func, r R, v V) { f.VFMLALane(v, -1, v, v) },
		"VSDOT lane 4":     func(f *Func, r R, v V) { f.VSDOTLane(v, 4, v, v) },
		"VSDOT lane -1":    func(f *Func, r R, v V) { f.VSDOTLane(v, -1, v, v) },
		"VLD1 lane 4":      func(f *Func, r R, v V) { f.LD1P(r, 4, v) },
		"VLD1 lane -1":     func(f *Func, r R, v V) { f.LD1P(r, -1, v) },
		"VST1 lane 4":      func(f *Func, r R, v V) { f.ST1P(v, 4, r) },
		"VST1 lane -1":     func(f *Func, r R, v V) { f.ST1P(v, -1, r) },
		"FMOVQ 8":          func(f *Func, r R, v V) { f.FMOVQ(r, 8, v) },
		"FMOVQ -16":        func(f *Func, r R, v V) { f.FMOVQ(r, -16, v) },
		"FMOVQ 65536":      func(f *Func, r R, v V) { f.STQ(v, r, 65536) },
		"FLDPQ 1024":       func(f *Func, r R, v V) { f.FLDPQ(r, 1024, v, f.Vector()) },
		"FLDPQ -1040":      func(f *Func, r R, v V) { f.FLDPQ(r, -1040, v, f.Vector()) },
		"FLDPQ twice":      func(f *Func, r R, v V) { f.FLDPQ(r, 0, v, v) },
		"FLDPQ.P twice":    func(f *Func, r R, v V) { f.FLDPQP(r, 0, v, v) },
		"FSTPQ 24":         func(f *Func, r R, v V) { f.FSTPQ(v, v, r, 24) },
		"FMOVS 2":          func(f *Func, r R, v V) { f.FMOVS(r, 2, v) },
		"FMOVS -4":         func(f *Func, r R, v V) { f.FMOVS(r, -4, v) },
		"FMOVS 16384":      func(f *Func, r R, v V) { f.FMOVS(r, 16384, v) },
		"a store at 2":     func(f *Func, r R, v V) { f.STS(v, r, 2) },
		"a store at -4":    func(f *Func, r R, v V) { f.STS(v, r, -4) },
		"a store at 16384": func(f *Func, r R, v V) { f.STS(v, r, 16384) },
		"two constants":    func(f *Func, r R, v V) { f.Float(r, "c", 1, v); f.Float(r, "c", 2, v) },
		"unknown argument": func(f *Func, r R, v V) { f.Arg("y") },
		"float argument":   func(f *Func, r R, v V) { f.Arg("a") },
		"int as a float":   func(f *Func, r R, v V) { f.FloatArg("n", v) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFunc()
			r, v := f.General(), f.Vector()
			defer func() {
				if recover() == nil {
					t.Error("does not panic")
				}
			}()
			wrong(f, r, v)
		})
	}
}
