package avx

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
)

// An ISA is an instruction set: the width of its vectors and the sizes that follow from it.
type ISA struct {
	Name  string
	bytes int // in a vector
	lanes int // float32 in a vector

	tileRows, tilePanels int  // of a register tile of the matrix product
	vnni                 bool // multiplies int8 with VPDPBUSD
	terms                int  // of a large tile in an iteration
	uneven               int  // if tileRows+1 to tileRows+uneven rows are left, the next tile has tileRows-uneven
}

// The instruction sets. A register tile needs one accumulator for each vector of each row, the
// weights of one row and one broadcast element: 6·2 + 2 + 1 of the 16 registers of AVX2 and
// 8·3 + 3 + 1 of the 32 of AVX-512.
var (
	AVX2   = ISA{Name: "avx2", bytes: 32, lanes: 8, tileRows: 6, tilePanels: 1, terms: 4, uneven: 2}
	AVX512 = ISA{Name: "avx512", bytes: 64, lanes: 16, tileRows: 8, tilePanels: 3, terms: 2, uneven: 0}
)

// AVXVNNI and AVX512VNNI are AVX2 and AVX512 with VPDPBUSD, for products of int8.
var (
	AVXVNNI    = ISA{Name: "avxvnni", bytes: 32, lanes: 8, tileRows: 6, tilePanels: 1, vnni: true}
	AVX512VNNI = ISA{Name: "avx512vnni", bytes: 64, lanes: 16, tileRows: 8, tilePanels: 3, vnni: true}
)

// AVX512BF16 is AVX512 with VDPBF16PS, for products of bfloat16. A register tile needs the sums of the even
// and of the odd inputs, the weights of one word and one element: 4·3·2 + 3 + 1 of 32 registers.
var AVX512BF16 = ISA{Name: "avx512bf16", bytes: 64, lanes: 16, tileRows: 4, tilePanels: 3}

// wide reports whether vectors hold all 16 lanes of a reduction and have mask registers.
func (e *emitter) wide() bool { return e.lanes == asm.Lanes }

func (e *emitter) vec() reg.VecVirtual {
	if e.wide() {
		return e.ZMM()
	}
	return e.YMM()
}

// A mask selects lanes: a vector of all-ones and all-zeros words in AVX2, a mask register in AVX-512.
type mask = reg.Register

// Predicates of VCMPPS, quiet on NaN.
const (
	lessThan     = 0x11
	notLessThan  = 0x15
	notLessEqual = 0x16 // true on NaN, as notLessThan
	greaterThan  = 0x1e
)

// compare returns the mask of the lanes in which a and b satisfy the predicate.
func (e *emitter) compare(predicate uint8, a, b operand.Op) mask {
	if e.wide() {
		m := e.K()
		e.VCMPPS(operand.U8(predicate), b, a, m)
		return m
	}
	m := e.YMM()
	e.VCMPPS(operand.U8(predicate), b, a, m)
	return m
}

// choose returns yes in the lanes of m and no elsewhere.
func (e *emitter) choose(m mask, yes operand.Op, no reg.Register) reg.VecVirtual {
	v := e.vec()
	if !e.wide() {
		e.VBLENDVPS(m, yes, no, v)
		return v
	}
	// avo treats every masked destination as a source too, but a blend does not read its destination.
	e.Instruction(&ir.Instruction{
		Opcode:   "VBLENDMPS",
		Operands: []operand.Op{yes, no, m, v},
		Inputs:   []operand.Op{yes, no, m},
		Outputs:  []operand.Op{v},
		ISA:      []string{"AVX512F"},
	})
	return v
}

// clip sets the lanes of v outside m to zero.
func (e *emitter) clip(m mask, v reg.VecVirtual) {
	if e.wide() {
		e.VMOVAPS_Z(v, m, v)
	} else {
		e.VANDPS(m, v, v)
	}
}
