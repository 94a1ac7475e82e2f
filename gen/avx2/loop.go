package avx2

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A span is the eight elements that one emitted loop body works on: whole, or in the tail
// those that mask names.
type span struct {
	e     *emitter
	index reg.GPVirtual // bytes from the start of each operand
	disp  int
	half  int            // 0 or 1: which eight of the sixteen lanes
	mask  reg.VecVirtual // nil for a whole span
}

func (s span) at(p reg.Register) operand.Mem {
	return operand.Mem{Base: p, Index: s.index, Scale: 1, Disp: s.disp}
}

// load returns the elements of the operand at p, zeros where the mask has none.
func (s span) load(p reg.Register) reg.VecVirtual {
	v := s.e.YMM()
	if s.mask == nil {
		s.e.VMOVUPS(s.at(p), v)
	} else {
		s.e.VMASKMOVPS(s.at(p), s.mask, v)
	}
	return v
}

// store writes the elements of the operand at p.
func (s span) store(v reg.VecVirtual, p reg.Register) {
	if s.mask == nil {
		s.e.VMOVUPS(v, s.at(p))
	} else {
		s.e.VMASKMOVPS(v, s.mask, s.at(p))
	}
}

// clip sets the lanes that the mask does not name to zero.
func (s span) clip(v reg.VecVirtual) {
	if s.mask != nil {
		s.e.VANDPS(s.mask, v, v)
	}
}

// each emits a loop over n elements, spans of eight at a time and a masked tail.
func (e *emitter) each(n reg.GPVirtual, body func(s span)) {
	e.spans(n, 1, body)
}

// each16 emits a loop over n elements, sixteen at a time: body is emitted for both halves.
func (e *emitter) each16(n reg.GPVirtual, body func(s span)) {
	e.spans(n, 2, body)
}

// spans leaves n unchanged.
func (e *emitter) spans(n reg.GPVirtual, count int, body func(s span)) {
	loop, tail, done := e.label("loop"), e.label("tail"), e.label("done")
	step := count * vectorLanes

	index, whole := e.GP64(), e.GP64()
	e.XORQ(index, index)
	e.MOVQ(n, whole)
	e.ANDQ(operand.I8(-step), whole)
	e.SHLQ(operand.U8(2), whole)
	e.JZ(operand.LabelRef(tail))

	e.Label(loop)
	e.interleave(count, func(half int) {
		body(span{e: e, index: index, disp: half * vectorBytes, half: half})
	})
	e.ADDQ(operand.I8(step*4), index)
	e.CMPQ(index, whole)
	e.JLT(operand.LabelRef(loop))

	e.Label(tail)
	rest := e.GP64()
	e.MOVQ(n, rest)
	e.ANDQ(operand.I8(step-1), rest)
	e.JZ(operand.LabelRef(done))
	table := e.GP64()
	e.NEGQ(rest)
	e.LEAQ(e.maskTable().Offset(16*4), table)
	for half := range count {
		mask := e.YMM()
		e.VMOVUPS(operand.Mem{Base: table, Index: rest, Scale: 4, Disp: half * vectorBytes}, mask)
		body(span{e: e, index: index, disp: half * vectorBytes, half: half, mask: mask})
	}
	e.Label(done)
}

// interleave emits body(0) … body(n-1), which must not depend on each other, with their
// instructions taking turns, so that the processor's window holds all of them.
func (e *emitter) interleave(n int, body func(i int)) {
	f, _ := e.Result()
	all := f.Functions()
	function := all[len(all)-1]
	start := len(function.Nodes)
	bodies, longest := make([][]ir.Node, n), 0
	for i := range bodies {
		from := len(function.Nodes)
		body(i)
		bodies[i] = slices.Clone(function.Nodes[from:])
		longest = max(longest, len(bodies[i]))
	}
	function.Nodes = function.Nodes[:start]
	for at := range longest {
		for _, nodes := range bodies {
			if at < len(nodes) {
				function.Nodes = append(function.Nodes, nodes[at])
			}
		}
	}
}

// times emits a loop that runs body n ≥ 1 times and leaves n at 0.
func (e *emitter) times(n reg.GPVirtual, body func()) {
	loop := e.label("row")
	e.Label(loop)
	body()
	e.DECQ(n)
	e.JNZ(operand.LabelRef(loop))
}

// sumTree returns the sum of the 16 lanes of low and high in the lowest lane:
// lanes l and l+8, l and l+4, l and l+2, l and l+1.
func (e *emitter) sumTree(low, high reg.VecVirtual) reg.VecVirtual {
	return e.tree(low, high,
		func(b, a, d operand.Op) { e.VADDPS(b, a, d) })
}

// maxTree returns the largest lane in the lowest lane, in the order of sumTree.
func (e *emitter) maxTree(low, high reg.VecVirtual) reg.VecVirtual {
	return e.tree(low, high,
		func(b, a, d operand.Op) { e.VMAXPS(b, a, d) })
}

func (e *emitter) tree(low, high reg.VecVirtual, combine func(b, a, d operand.Op)) reg.VecVirtual {
	x, y := e.XMM(), e.XMM()
	combine(high, low, low)
	e.VEXTRACTF128(operand.U8(1), low, y)
	combine(y, low.AsX(), x)
	e.VPERMILPD(operand.U8(1), x, y)
	combine(y, x, x)
	e.VMOVSHDUP(x, y)
	combine(y, x, x)
	return x
}
