package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// GRU generates the gates and the new state of a gated recurrent unit, and their backward passes.
func GRU(file *a64.File) {
	e := newEmitter(file)
	e.gruGates()
	e.gruState()
	e.gruStateBackward()
	e.gruGatesBackward()
}

func (e *emitter) gruGates() {
	e.function(decl.GRUGates)
	z, r, rh, h, n := e.Arg("z"), e.Arg("r"), e.Arg("rh"), e.Arg("h"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		e.Comment("z = σ(z)")
		s.store(e.sigmoid(s.load(z)), z)
		e.Comment("r = σ(r)")
		reset := e.sigmoid(s.load(r))
		s.store(reset, r)
		e.Comment("rh = r·h")
		e.VFMUL(s.load(h), reset, reset)
		s.store(reset, rh)
	})
	e.end()
}

func (e *emitter) gruState() {
	e.function(decl.GRUState)
	next, candidate, z, h, n := e.Arg("next"), e.Arg("candidate"), e.Arg("z"), e.Arg("h"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		e.Comment("candidate = tanh(candidate)")
		c := e.tanh(s.load(candidate))
		s.store(c, candidate)
		e.Comment("next = h + z·(candidate - h)")
		old := s.load(h)
		e.VFSUB(old, c, c)
		e.VFMLA(c, s.load(z), old)
		s.store(old, next)
	})
	e.end()
}

// In gruStateBackward d, u and c are the old values of dnext, z and candidate.
func (e *emitter) gruStateBackward() {
	e.function(decl.GRUStateBackward)
	dh, candidate, z, h := e.Arg("dh"), e.Arg("candidate"), e.Arg("z"), e.Arg("h")
	dnext, n := e.Arg("dnext"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		e.Comment("d = dnext, u = z, c = candidate: dh = d - u·d")
		d, u, c := s.load(dnext), s.load(z), s.load(candidate)
		through := e.moved(d)
		e.VFMLS(d, u, through)
		s.store(through, dh)

		e.Comment("z = d·(c - h)·(u - u²)")
		gate := e.Vector()
		e.VFSUB(s.load(h), c, gate)
		e.VFMUL(gate, d, gate)
		e.VFMUL(e.timesOneMinus(u), gate, gate)
		s.store(gate, z)

		e.Comment("candidate = d·u·(1 - c²)")
		slope := e.loaded("one", 1)
		e.VFMLS(c, c, slope)
		e.VFMUL(u, d, d)
		e.VFMUL(slope, d, d)
		s.store(d, candidate)
	})
	e.end()
}

// In gruGatesBackward u is the old value of r.
func (e *emitter) gruGatesBackward() {
	e.function(decl.GRUGatesBackward)
	dh, r, drh, h, n := e.Arg("dh"), e.Arg("r"), e.Arg("drh"), e.Arg("h"), e.Arg("n")
	e.eachInFlight(n, func(s span) {
		e.Comment("u = r: dh += drh·u")
		d, u, sum := s.load(drh), s.load(r), s.load(dh)
		e.VFMLA(d, u, sum)
		s.store(sum, dh)

		e.Comment("r = drh·h·(u - u²)")
		e.VFMUL(s.load(h), d, d)
		e.VFMUL(e.timesOneMinus(u), d, d)
		s.store(d, r)
	})
	e.end()
}

// timesOneMinus returns u - u².
func (e *emitter) timesOneMinus(u a64.V) a64.V {
	v := e.moved(u)
	e.VFMLS(u, u, v)
	return v
}
