package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// GRU generates the gates and the new state of a gated recurrent unit, and their backward passes.
func GRU(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.gruGates()
	e.gruState()
	e.gruStateBackward()
	e.gruGatesBackward()
}

func (e *emitter) gruGates() {
	e.function(decl.GRUGates)
	z, r, rh, h, n := e.arg("z"), e.arg("r"), e.arg("rh"), e.arg("h"), e.arg("n")
	e.each(n, func(s span) {
		e.Comment("z = σ(z)")
		s.store(e.sigmoid(s.load(z)), z)
		e.Comment("r = σ(r)")
		reset := e.sigmoid(s.load(r))
		s.store(reset, r)
		e.Comment("rh = r·h")
		e.VMULPS(s.load(h), reset, reset)
		s.store(reset, rh)
	})
	e.end()
}

func (e *emitter) gruState() {
	e.function(decl.GRUState)
	next, candidate, z, h, n := e.arg("next"), e.arg("candidate"), e.arg("z"), e.arg("h"), e.arg("n")
	e.each(n, func(s span) {
		e.Comment("candidate = tanh(candidate)")
		c := e.tanh(s.load(candidate))
		s.store(c, candidate)
		e.Comment("next = h + z·(candidate - h)")
		old := s.load(h)
		e.VSUBPS(old, c, c)
		e.VFMADD231PS(c, s.load(z), old)
		s.store(old, next)
	})
	e.end()
}

// In gruStateBackward d, u and c are the old values of dnext, z and candidate.
func (e *emitter) gruStateBackward() {
	e.function(decl.GRUStateBackward)
	dh, candidate, z, h := e.arg("dh"), e.arg("candidate"), e.arg("z"), e.arg("h")
	dnext, n := e.arg("dnext"), e.arg("n")
	e.each(n, func(s span) {
		e.Comment("d = dnext, u = z, c = candidate: dh = d - u·d")
		d, u, c := s.load(dnext), s.load(z), s.load(candidate)
		through := e.vec()
		e.VMOVAPS(d, through)
		e.VFNMADD231PS(d, u, through)
		s.store(through, dh)

		e.Comment("z = d·(c - h)·(u - u²)")
		gate := e.vec()
		e.VSUBPS(s.load(h), c, gate)
		e.VMULPS(gate, d, gate)
		e.VMULPS(e.timesOneMinus(u), gate, gate)
		s.store(gate, z)

		e.Comment("candidate = d·u·(1 - c²)")
		slope := e.loaded(e.float("one", 1))
		e.VFNMADD231PS(c, c, slope)
		e.VMULPS(u, d, d)
		e.VMULPS(slope, d, d)
		s.store(d, candidate)
	})
	e.end()
}

// In gruGatesBackward u is the old value of r.
func (e *emitter) gruGatesBackward() {
	e.function(decl.GRUGatesBackward)
	dh, r, drh, h, n := e.arg("dh"), e.arg("r"), e.arg("drh"), e.arg("h"), e.arg("n")
	e.each(n, func(s span) {
		e.Comment("u = r: dh += drh·u")
		d, u, sum := s.load(drh), s.load(r), s.load(dh)
		e.VFMADD231PS(d, u, sum)
		s.store(sum, dh)

		e.Comment("r = drh·h·(u - u²)")
		e.VMULPS(s.load(h), d, d)
		e.VMULPS(e.timesOneMinus(u), d, d)
		s.store(d, r)
	})
	e.end()
}

// timesOneMinus returns u - u².
func (e *emitter) timesOneMinus(u reg.VecVirtual) reg.VecVirtual {
	v := e.vec()
	e.VMOVAPS(u, v)
	e.VFNMADD231PS(u, u, v)
	return v
}
