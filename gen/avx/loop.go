package avx

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// A schedule divides the vector registers among the vectors and the constants of a loop. The choices
// are made by measurement.
type schedule struct {
	inFlight  int // vectors whose instructions are interleaved
	constants int // constants in registers
}

// schedules are measured, for the functions of long latency.
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
	e.paste(body)
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

func (e *emitter) paste(list []ir.Node) {
	nodes := e.nodes()
	*nodes = append(*nodes, list...)
}

// interleave emits body(0) … body(n-1), several at a time as scheduled, one instruction of each in
// turn, so that the reorder window of the processor holds all of them. They must not depend on each other.
// Only the first keeps its comments.
func (e *emitter) interleave(n int, body func(i int)) {
	for first := 0; first < n; first += e.scheduled.inFlight {
		bodies := make([][]ir.Node, min(e.scheduled.inFlight, n-first))
		for i := range bodies {
			bodies[i] = e.cut(func() { body(first + i) })
		}
		e.paste(elementwise.Interleave(bodies, func(n ir.Node) bool {
			_, ok := n.(*ir.Comment)
			return ok
		}))
	}
}

// times emits a loop that runs body n ≥ 1 times, counting n down to 0.
func (e *emitter) times(n reg.GPVirtual, body func()) {
	e.scope(func() {
		loop := e.label("row")
		e.Label(loop)
		body()
		e.again(n, loop)
	})
}

// again counts n down and jumps to loop unless it is 0.
func (e *emitter) again(n reg.GPVirtual, loop string) {
	e.fence()
	e.DECQ(n)
	e.JNZ(operand.LabelRef(loop))
}

// fence pads the code so that the comparison and jump that end a loop, of at most 10 bytes, neither cross nor touch the
// end of 32 bytes: Intel's processors from Skylake to Cascade Lake decode such a line anew in every iteration.
func (e *emitter) fence() {
	e.Instruction(&ir.Instruction{Opcode: "PCALIGNMAX", Operands: []operand.Op{operand.U8(32), operand.U8(10)}})
}

// each emits a loop over n elements whose iterations cover one vector.
func (e *emitter) each(n reg.GPVirtual, body func(s span)) { e.elements(n, 1, body) }

// eachInFlight is each for bodies of long latency: an iteration interleaves several vectors.
func (e *emitter) eachInFlight(n reg.GPVirtual, body func(s span)) {
	e.elements(n, e.scheduled.inFlight, body)
}

func (e *emitter) elements(n reg.GPVirtual, vectors int, body func(s span)) {
	e.groups(n, vectors, func(s span, i int) { body(s) }, func(s span, left reg.GPVirtual, done string) {
		rest := e.label("rest")
		e.Label(rest)
		s.mask = e.tailMask(left)
		body(s)
		e.ADDQ(operand.I32(e.bytes), s.index)
		e.SUBQ(operand.I8(e.lanes), left)
		e.JGT(operand.LabelRef(rest))
	})
}

// accumulators returns registers of zeros for so many lanes.
func (e *emitter) accumulators(lanes int) (acc []reg.VecVirtual) {
	for range lanes / e.lanes {
		acc = append(acc, e.zero())
	}
	return acc
}

// tiles emits a loop that runs body while n has as many rows, and takes them off n.
func (e *emitter) tiles(n reg.GPVirtual, rows int, body func(rows int)) {
	loop, done := e.label("tiles"), e.label("fewer")
	e.Label(loop)
	e.CMPQ(n, operand.I8(rows))
	e.JLT(operand.LabelRef(done))
	body(rows)
	e.SUBQ(operand.I8(rows), n)
	e.JMP(operand.LabelRef(loop))
	e.Label(done)
}

// reduce emits a loop over n elements, whose vectors belong to parts of the lanes in turn. Masked loads pad the
// last vector.
func (e *emitter) reduce(n reg.GPVirtual, parts int, body func(s span, part int)) {
	vectors := max(e.scheduled.inFlight, parts)
	whole := func(s span, i int) { body(s, i%parts) }
	e.groups(n, vectors, whole, func(s span, left reg.GPVirtual, done string) {
		rest, last := e.GP64(), make([]string, vectors)
		e.MOVQ(left, rest)
		e.ANDQ(operand.I8(e.lanes-1), rest)
		for i := range vectors - 1 {
			last[i] = e.label("last")
			e.CMPQ(left, operand.I8((i+1)*e.lanes))
			e.JLT(operand.LabelRef(last[i]))
			s.disp = i * e.bytes
			whole(s, i)
		}
		last[vectors-1] = e.label("last")
		for i := vectors - 1; i >= 0; i-- {
			e.Label(last[i])
			e.TESTQ(rest, rest)
			e.JZ(operand.LabelRef(done))
			s.mask, s.disp = e.firstLanes(rest), i*e.bytes
			whole(s, i)
			e.JMP(operand.LabelRef(done))
		}
	})
}

// groups emits a loop over n elements in groups of that many vectors, whose body is whole for each, and rest for
// the left ≥ 1 elements after the last group, which may jump to done. In the loop, left is the number of
// elements after the next group.
func (e *emitter) groups(n reg.GPVirtual, vectors int, whole func(s span, i int), rest func(s span, left reg.GPVirtual, done string)) {
	e.scope(func() {
		loop, tail, done := e.label("loop"), e.label("tail"), e.label("done")
		index, left, p := e.GP64(), e.GP64(), &elementwise.Pointers[reg.GPVirtual]{New: e.GP64}
		body := e.cut(func() {
			e.SUBQ(operand.I8(vectors*e.lanes), left)
			e.JLT(operand.LabelRef(tail))

			e.Label(loop)
			e.Commentf("%d elements at index", vectors*e.lanes)
			e.interleave(vectors, func(i int) { whole(span{e: e, index: index, disp: i * e.bytes, pointers: p}, i) })
			p.Each(func(_, moving reg.GPVirtual) { e.ADDQ(operand.I32(vectors*e.bytes), moving) })
			e.ADDQ(operand.I32(vectors*e.bytes), index)
			e.fence()
			e.SUBQ(operand.I8(vectors*e.lanes), left)
			e.JGE(operand.LabelRef(loop))

			e.Label(tail)
			e.ADDQ(operand.I8(vectors*e.lanes), left)
			e.JZ(operand.LabelRef(done))
			e.Comment("the remaining elements")
			rest(span{e: e, index: index, pointers: p}, left, done)
			e.Label(done)
		})
		e.XORQ(index, index)
		e.MOVQ(n, left)
		p.Each(func(from, moving reg.GPVirtual) { e.MOVQ(from, moving) })
		e.paste(body)
	})
}
