package avx

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// A span is the elements that one vector of an emitted loop body covers: all lanes, or in the
// remainder the lanes in mask.
type span struct {
	e        *emitter
	index    reg.GPVirtual // the vector is index+disp bytes from the start of each operand
	disp     int
	mask     mask // nil for all lanes
	pointers *elementwise.Pointers[reg.GPVirtual]
}

func (s span) at(p reg.Register) operand.Mem {
	return operand.Mem{Base: p, Index: s.index, Scale: 1, Disp: s.disp}
}

// Load returns the elements of the operand at p, zeros outside the mask.
func (s span) Load(p reg.GPVirtual) reg.VecVirtual { return s.load(s.at(p)) }

func (s span) load(m operand.Mem) reg.VecVirtual {
	v := s.e.vec()
	switch {
	case s.mask == nil:
		s.e.VMOVUPS(m, v)
	case s.e.wide():
		s.e.VMOVUPS_Z(m, s.mask, v)
	default:
		s.e.VMASKMOVPS(m, s.mask, v)
	}
	return v
}

// LoadOr returns the elements of the operand at p, past outside the mask.
func (s span) LoadOr(p reg.GPVirtual, past elementwise.Constant) reg.VecVirtual {
	v := s.Load(p)
	if s.mask == nil {
		return v
	}
	return s.e.choose(s.mask, v, s.e.loaded(s.e.repeated(past.Name, math.Float32bits(past.Value))))
}

// MulAdd adds a times the elements of the operand at p to d. Intel's processors split an instruction that loads and
// multiplies in two if its address has an index.
func (s span) MulAdd(p reg.GPVirtual, a, d reg.VecVirtual) {
	if s.mask == nil {
		s.e.VFMADD231PS(at(s.pointers.Of(p), s.disp), a, d)
		return
	}
	s.e.VFMADD231PS(s.load(at(s.pointers.Of(p), s.disp)), a, d)
}

// Store stores v to the elements of the operand at p.
func (s span) Store(v reg.VecVirtual, p reg.GPVirtual) {
	switch {
	case s.mask == nil:
		s.e.VMOVUPS(v, s.at(p))
	case s.e.wide():
		s.e.VMOVUPS(v, s.mask, s.at(p))
	default:
		s.e.VMASKMOVPS(v, s.mask, s.at(p))
	}
}

// Rows returns s with a copy of its index, which Next advances for all operands.
func (s span) Rows(...reg.GPVirtual) elementwise.Row[reg.GPVirtual, reg.VecVirtual] {
	index := s.e.GP64()
	s.e.MOVQ(s.index, index)
	s.index = index
	return s
}

func (s span) Next(stride reg.GPVirtual) { s.e.ADDQ(stride, s.index) }

// tailMask returns the mask of the first left elements of a vector.
func (e *emitter) tailMask(left reg.GPVirtual) mask {
	count := e.GP64()
	e.MOVQ(operand.U32(e.lanes), count)
	e.CMPQ(left, count)
	e.CMOVQLT(left, count)
	return e.firstLanes(count)
}

// firstLanes returns the mask of the first count lanes, and may overwrite count. AVX-512 looks the mask up in a table.
// AVX2 loads it from words of ones and of zeros, starting as many words before the zeros as there are elements.
func (e *emitter) firstLanes(count reg.GPVirtual) mask {
	table := e.GP64()
	if e.wide() {
		words := make([]uint32, e.lanes+1)
		for i := range words {
			words[i] = 1<<i - 1
		}
		m := e.K()
		e.LEAQ(e.words("masks", words), table)
		e.KMOVW(indexed(table, count, 4), m)
		return m
	}
	words := make([]uint32, 2*e.lanes)
	for i := range e.lanes {
		words[i] = 0xffffffff
	}
	m := e.YMM()
	e.LEAQ(e.words("masks", words).Offset(4*e.lanes), table)
	e.NEGQ(count)
	e.VMOVUPS(indexed(table, count, 4), m)
	return m
}

// tree combines the 16 lanes of acc in the lowest lane: lanes l and l+8, then l and l+4, l and l+2, l and l+1.
func (e *emitter) tree(acc []reg.VecVirtual, combine func(b, a, d operand.Op)) reg.VecVirtual {
	e.Comment("combine lanes l and l+8, l+4, l+2, l+1")
	var low, high reg.Register
	if e.wide() {
		upper := e.YMM()
		e.VEXTRACTF64X4(operand.U8(1), acc[0], upper)
		low, high = acc[0].AsY(), upper
	} else {
		low, high = acc[0], acc[1]
	}
	eight, x, y := e.YMM(), e.XMM(), e.XMM()
	combine(high, low, eight)
	e.VEXTRACTF128(operand.U8(1), eight, y)
	combine(y, eight.AsX(), x)
	e.VPERMILPD(operand.U8(1), x, y)
	combine(y, x, x)
	e.VMOVSHDUP(x, y)
	combine(y, x, x)
	return x
}
