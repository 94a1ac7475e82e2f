package neon

import (
	"slices"

	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// loopConstants are the constants that a loop and the loops inside it keep in registers.
type loopConstants struct {
	table  a64.R // address of the constants of the file
	tabled bool
	kept   map[keptConstant]a64.V
	order  []keptConstant
}

type keptConstant struct {
	name string
	word uint32
}

// keep returns the register that holds the constant throughout the loop.
func (l *loopConstants) keep(e *emitter, name string, word uint32) a64.V {
	c := keptConstant{name, word}
	v, ok := l.kept[c]
	if !ok {
		v = e.Vector()
		l.kept[c], l.order = v, append(l.order, c)
	}
	return v
}

// scope emits a loop, preceded by the loads of the constants that it keeps.
func (e *emitter) scope(loop func()) {
	if e.loop != nil {
		loop()
		return
	}
	e.loop = &loopConstants{kept: map[keptConstant]a64.V{}}
	body := e.cut(loop)
	if len(e.loop.order) > 0 {
		e.Comment("constants of the loop")
		e.table()
	}
	if e.loop.tabled {
		e.Constants(e.loop.table)
	}
	for _, c := range e.loop.order {
		e.Bits(e.loop.table, c.name, c.word, e.loop.kept[c])
	}
	e.paste(body)
	e.loop = nil
}

func (e *emitter) cut(body func()) []a64.Instruction {
	start := len(e.Instructions)
	body()
	emitted := slices.Clone(e.Instructions[start:])
	e.Instructions = e.Instructions[:start]
	return emitted
}

func (e *emitter) paste(list []a64.Instruction) { e.Instructions = append(e.Instructions, list...) }

// interleave emits body(0) … body(n-1), inFlight at a time, one instruction of each in turn, so that the
// reorder window of the processor holds all of them. They must not depend on each other, nor branch if
// there are several. Only the first keeps its comments.
func (e *emitter) interleave(n int, body func(i int)) {
	for first := 0; first < n; first += e.inFlight {
		bodies := make([][]a64.Instruction, min(e.inFlight, n-first))
		for i := range bodies {
			bodies[i] = e.cut(func() { body(first + i) })
		}
		e.paste(elementwise.Interleave(bodies, a64.Instruction.IsComment))
	}
}

// times emits a loop that runs body n ≥ 1 times, counting n down to 0.
func (e *emitter) times(n a64.R, body func()) {
	e.scope(func() {
		loop := e.NewLabel("row")
		e.Label(loop)
		body()
		e.SUBSI(1, n, n)
		e.BNE(loop)
	})
}

// each emits a loop over n elements whose iterations cover one vector.
func (e *emitter) each(n a64.R, body func(s span)) { e.elements(n, 1, body) }

// eachInFlight is each for bodies of long latency: an iteration interleaves several vectors.
func (e *emitter) eachInFlight(n a64.R, body func(s span)) { e.elements(n, e.inFlight, body) }

func (e *emitter) elements(n a64.R, unroll int, body func(s span)) {
	e.groups(n, unroll, func(s span, i int) { body(s) }, func(s span) {
		rest := e.NewLabel("rest")
		e.Label(rest)
		body(s)
		s.advance(vectorBytes)
		e.SUBSI(lanes, s.left, s.left)
		e.BGT(rest)
	})
}

// reduce emits a loop over n elements. body adds a span to the register of acc that holds its lanes. Partial
// loads pad the last vector.
func (e *emitter) reduce(n a64.R, acc []a64.V, body func(s span, part a64.V)) {
	whole := func(s span, i int) { body(s, acc[i]) }
	e.groups(n, len(acc), whole, func(s span) {
		end, last := e.NewLabel("end"), make([]string, len(acc))
		for i := range acc {
			if last[i] = e.NewLabel("last"); i < len(acc)-1 {
				e.CMPI((i+1)*lanes, s.left)
				e.BLT(last[i])
				whole(span{e: e, pointers: s.pointers, disp: i * vectorBytes}, i)
			}
		}
		for i := len(acc) - 1; i >= 0; i-- {
			e.Label(last[i])
			e.SUBI(i*lanes, s.left, s.left)
			s.disp = i * vectorBytes
			whole(s, i)
			e.B(end)
		}
		e.Label(end)
	})
}

// groups emits a loop over n elements in groups of that many vectors, whose body is whole for each
// vector, and rest for the left ≥ 1 elements after the last group. The bodies determine which
// operands need pointers, so they are emitted first and then moved after the copies. In the loop,
// left is the number of elements after the next group.
func (e *emitter) groups(n a64.R, vectors int, whole func(s span, i int), rest func(s span)) {
	e.scope(func() {
		loop, tail, done := e.NewLabel("loop"), e.NewLabel("tail"), e.NewLabel("done")
		left, step, p := e.copied(n), vectors*lanes, newPointers(e)
		body := e.cut(func() {
			e.SUBSI(step, left, left)
			e.BLT(tail)
			e.Label(loop)
			e.Comment("%d elements", step)
			e.interleave(vectors, func(i int) {
				whole(span{e: e, pointers: p, disp: i * vectorBytes}, i)
			})
			span{e: e, pointers: p}.advance(vectors * vectorBytes)
			e.SUBSI(step, left, left)
			e.BGE(loop)
			e.Label(tail)
			e.ADDSI(step, left, left)
			e.BEQ(done)
			e.Comment("the remaining elements, lane by lane")
			rest(span{e: e, pointers: p, partial: true, left: left})
			e.Label(done)
		})
		p.Each(func(from, moving a64.R) { e.MOVD(from, moving) })
		e.paste(body)
	})
}
