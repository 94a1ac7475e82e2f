package avx

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// A schedule divides the vector registers among the vectors and the constants of a loop. The choices
// are made by measurement.
type schedule struct {
	inFlight  int // vectors whose instructions are interleaved
	constants int // constants in registers
}

// schedules are those of functions of long latency, by measurement.
var schedules = map[string]struct{ avx2, avx512 schedule }{
	decl.Exp.Name:     {schedule{2, 4}, schedule{2, 12}},
	decl.Tanh.Name:    {schedule{2, 2}, schedule{3, 11}},
	decl.Sigmoid.Name: {schedule{2, 5}, schedule{2, 14}},
	decl.ReLU.Name:    {schedule{2, 1}, schedule{2, 1}},
	decl.ExpSum.Name:  {schedule{2, 1}, schedule{2, 12}},
	decl.SumExp.Name:  {schedule{2, 1}, schedule{2, 12}},
	decl.Scores.Name:  {schedule{2, 0}, schedule{2, 11}},
}

func (e *emitter) schedule(avx2, avx512 schedule) {
	e.scheduled = avx2
	if e.wide() {
		e.scheduled = avx512
	}
}

// loopConstants are the constants that a loop and the loops inside it keep in registers.
type loopConstants struct {
	left      int // registers that are still free
	registers map[operand.Mem]reg.VecVirtual
	order     []operand.Mem
}

// pin returns a register that holds m throughout the loop. Outside of loops, and when no register is
// left, it returns m.
func (l *loopConstants) pin(m operand.Mem, register func() reg.VecVirtual) operand.Op {
	if l == nil {
		return m
	}
	if r, ok := l.registers[m]; ok {
		return r
	}
	if l.left == 0 {
		return m
	}
	l.left--
	l.registers[m] = register()
	l.order = append(l.order, m)
	return l.registers[m]
}

// scope emits a loop, preceded by the loads of the constants that it keeps.
func (e *emitter) scope(loop func()) {
	if e.loop != nil {
		loop()
		return
	}
	e.loop = &loopConstants{left: e.scheduled.constants, registers: map[operand.Mem]reg.VecVirtual{}}
	body := e.cut(loop)
	if len(e.loop.order) > 0 {
		e.Comment("constants of the loop")
	}
	for _, m := range e.loop.order {
		e.VMOVUPS(m, e.loop.registers[m])
	}
	nodes := e.nodes()
	*nodes = append(*nodes, body...)
	e.loop = nil
}

func (e *emitter) cut(body func()) []ir.Node {
	start := len(*e.nodes())
	body()
	nodes := e.nodes()
	emitted := slices.Clone((*nodes)[start:])
	*nodes = (*nodes)[:start]
	return emitted
}

// interleave emits body(0) … body(n-1), one instruction of each in turn, so that the reorder
// window of the processor holds all of them. They must not depend on each other. Only the
// comments of body(0) are kept.
func (e *emitter) interleave(n int, body func(i int)) {
	bodies := make([][]ir.Node, n)
	for i := range bodies {
		bodies[i] = e.cut(func() { body(i) })
	}
	nodes := e.nodes()
	*nodes = append(*nodes, elementwise.Interleave(bodies, func(n ir.Node) bool {
		_, ok := n.(*ir.Comment)
		return ok
	})...)
}

// times emits a loop that runs body n ≥ 1 times, counting n down to 0.
func (e *emitter) times(n reg.GPVirtual, body func()) {
	e.scope(func() {
		loop := e.label("row")
		e.Label(loop)
		body()
		e.DECQ(n)
		e.JNZ(operand.LabelRef(loop))
	})
}

// each emits a loop over n elements whose iterations cover one vector.
func (e *emitter) each(n reg.GPVirtual, body func(s span)) {
	e.spans(n, 1, 1, body)
}

// eachInFlight is each for bodies of long latency: an iteration interleaves several vectors.
func (e *emitter) eachInFlight(n reg.GPVirtual, body func(s span)) {
	e.spans(n, e.scheduled.inFlight, 1, body)
}

// reduce emits a loop over n elements, a multiple of 16 in each iteration. body adds a span to the
// accumulator of its part. Masked loads pad the last 16 elements with zeros.
func (e *emitter) reduce(n reg.GPVirtual, body func(s span)) {
	e.spans(n, max(e.scheduled.inFlight, e.parts()), e.parts(), body)
}

// parts returns the number of vectors that hold the 16 lanes of a reduction.
func (e *emitter) parts() int { return asm.Lanes / e.lanes }

// accumulators returns registers of zeros for the 16 lanes of a reduction.
func (e *emitter) accumulators() []reg.VecVirtual {
	acc := make([]reg.VecVirtual, e.parts())
	for i := range acc {
		acc[i] = e.zero()
	}
	return acc
}

// spans emits a loop over unroll vectors at a time, and one over group vectors at a time, under a
// mask, for the remainder. In the first, left is the number of remaining elements less those of
// one iteration; in the second it is their number.
func (e *emitter) spans(n reg.GPVirtual, unroll, group int, body func(s span)) {
	e.scope(func() {
		loop, tail, rest, done := e.label("loop"), e.label("tail"), e.label("rest"), e.label("done")
		index, left := e.GP64(), e.GP64()
		e.XORQ(index, index)
		e.MOVQ(n, left)
		e.SUBQ(operand.I8(unroll*e.lanes), left)
		e.JLT(operand.LabelRef(tail))

		e.Label(loop)
		e.Commentf("%d elements at index", unroll*e.lanes)
		e.interleave(unroll, func(i int) {
			body(span{e: e, index: index, disp: i * e.bytes, part: i % group})
		})
		e.ADDQ(operand.I32(unroll*e.bytes), index)
		e.SUBQ(operand.I8(unroll*e.lanes), left)
		e.JGE(operand.LabelRef(loop))

		e.Label(tail)
		e.ADDQ(operand.I8(unroll*e.lanes), left)
		e.JZ(operand.LabelRef(done))
		e.Label(rest)
		e.Commentf("the first %d of the remaining elements, fewer at the end", group*e.lanes)
		for part, m := range e.tailMasks(left, group) {
			body(span{e: e, index: index, disp: part * e.bytes, part: part, mask: m})
		}
		e.ADDQ(operand.I32(group*e.bytes), index)
		e.SUBQ(operand.I8(group*e.lanes), left)
		e.JGT(operand.LabelRef(rest))
		e.Label(done)
	})
}
