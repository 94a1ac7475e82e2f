package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

func newPointers(e *emitter) *elementwise.Pointers[a64.R] {
	return &elementwise.Pointers[a64.R]{New: e.General}
}

// A span is the elements that one vector of an emitted loop body covers: all lanes or, if it is
// partial, the first left of them, which may be 0 or exceed the number of lanes.
type span struct {
	e        *emitter
	pointers *elementwise.Pointers[a64.R]
	disp     int
	partial  bool
	left     a64.R
}

// Load returns the elements of the operand at p, zeros past the end.
func (s span) Load(p a64.R) a64.V {
	if !s.partial {
		return s.e.at(s.pointers.Of(p), s.disp)
	}
	return s.loadLanes(p, s.e.zero())
}

// LoadOr returns the elements of the operand at p, past after the end.
func (s span) LoadOr(p a64.R, past elementwise.Constant) a64.V {
	if !s.partial {
		return s.Load(p)
	}
	return s.loadLanes(p, s.e.loaded(past.Name, past.Value))
}

// loadLanes loads the elements of a partial span over v.
func (s span) loadLanes(p a64.R, v a64.V) a64.V {
	s.eachLane(p, func(at a64.R, lane int) { s.e.LD1P(at, lane, v) })
	return v
}

// MulAdd adds a times the elements of the operand at p to d.
func (s span) MulAdd(p a64.R, a, d a64.V) { s.e.VFMLA(s.Load(p), a, d) }

// Store stores v to the elements of the operand at p.
func (s span) Store(v a64.V, p a64.R) {
	if !s.partial {
		s.e.STQ(v, s.pointers.Of(p), s.disp)
		return
	}
	s.eachLane(p, func(at a64.R, lane int) { s.e.ST1P(v, lane, at) })
}

// eachLane emits body for every lane, each preceded by a branch to the end if the span is shorter.
func (s span) eachLane(p a64.R, body func(at a64.R, lane int)) {
	at, done := s.e.General(), s.e.NewLabel("lanes")
	s.e.ADDI(s.disp, s.pointers.Of(p), at)
	for lane := range lanes {
		s.e.CMPI(lane, s.left)
		s.e.BLE(done)
		body(at, lane)
	}
	s.e.Label(done)
}

// advance moves every pointer forward.
func (s span) advance(bytes int) {
	s.pointers.Each(func(_, moving a64.R) { s.e.ADDI(bytes, moving, moving) })
}

// Rows returns s with separate pointers to operands, which Next advances.
func (s span) Rows(operands ...a64.R) elementwise.Row[a64.R, a64.V] {
	own := newPointers(s.e)
	for _, p := range operands {
		s.e.MOVD(s.pointers.Of(p), own.Of(p))
	}
	s.pointers = own
	return s
}

func (s span) Next(stride a64.R) {
	s.pointers.Each(func(_, moving a64.R) { s.e.ADD(stride, moving, moving) })
}

// tree combines the 16 lanes of acc in the lowest lane: lanes l and l+8, then l and l+4, l and l+2, l and l+1.
func (e *emitter) tree(acc []a64.V, combine func(m, n, d a64.V)) a64.V {
	e.Comment("combine lanes l and l+8, l+4, l+2, l+1")
	x, y := e.Vector(), e.Vector()
	combine(acc[2], acc[0], x)
	combine(acc[3], acc[1], y)
	combine(y, x, x)
	for _, bytes := range []int{8, 4} {
		y := e.Vector()
		e.VEXT(bytes, x, x, y)
		combine(y, x, x)
	}
	return x
}
