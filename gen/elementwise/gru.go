package elementwise

import "github.com/softsearch-go/softsearch/gen/decl"

// GRU generates the gates and the new state of a gated recurrent unit, and their backward passes, and the new
// states of one whose reset gate acts after the product and of a long short-term memory.
func GRU[R, V any](t Target[R, V]) {
	gruGates(t)
	gruState(t)
	gruStateBackward(t)
	gruGatesBackward(t)
	gruResetAfter(t)
	lstmState(t)
}

func gruGates[R, V any](t Target[R, V]) {
	t.Begin(decl.GRUGates)
	z, r, rh, h, n := t.Arg("z"), t.Arg("r"), t.Arg("rh"), t.Arg("h"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("z = σ(z)")
		s.Store(Sigmoid(t, s.Load(z)), z)
		t.Comment("r = σ(r)")
		reset := Sigmoid(t, s.Load(r))
		s.Store(reset, r)
		t.Comment("rh = r·h")
		t.Mul(s.Load(h), reset, reset)
		s.Store(reset, rh)
	})
	t.End()
}

func gruState[R, V any](t Target[R, V]) {
	t.Begin(decl.GRUState)
	next, candidate, z, h, n := t.Arg("next"), t.Arg("candidate"), t.Arg("z"), t.Arg("h"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("candidate = tanh(candidate)")
		c := t.Tanh(s.Load(candidate))
		s.Store(c, candidate)
		t.Comment("next = h + z·(candidate - h)")
		old := s.Load(h)
		t.Sub(old, c, c)
		t.MulAdd(c, s.Load(z), old)
		s.Store(old, next)
	})
	t.End()
}

// In gruStateBackward d, u and c are the old values of dnext, z and candidate.
func gruStateBackward[R, V any](t Target[R, V]) {
	t.Begin(decl.GRUStateBackward)
	dh, candidate, z, h := t.Arg("dh"), t.Arg("candidate"), t.Arg("z"), t.Arg("h")
	dnext, n := t.Arg("dnext"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("d = dnext, u = z, c = candidate: dh = d - u·d")
		d, u, c := s.Load(dnext), s.Load(z), s.Load(candidate)
		through := t.Copy(d)
		t.MulSub(d, u, through)
		s.Store(through, dh)

		t.Comment("z = d·(c - h)·(u - u²)")
		gate := t.Vector()
		t.Sub(s.Load(h), c, gate)
		t.Mul(gate, d, gate)
		t.Mul(timesOneMinus(t, u), gate, gate)
		s.Store(gate, z)

		t.Comment("candidate = d·u·(1 - c²)")
		slope := t.New(one)
		t.MulSub(c, c, slope)
		t.Mul(u, d, d)
		t.Mul(slope, d, d)
		s.Store(d, candidate)
	})
	t.End()
}

// In gruGatesBackward u is the old value of r.
func gruGatesBackward[R, V any](t Target[R, V]) {
	t.Begin(decl.GRUGatesBackward)
	dh, r, drh, h, n := t.Arg("dh"), t.Arg("r"), t.Arg("drh"), t.Arg("h"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("u = r: dh += drh·u")
		d, u, sum := s.Load(drh), s.Load(r), s.Load(dh)
		t.MulAdd(d, u, sum)
		s.Store(sum, dh)

		t.Comment("r = drh·h·(u - u²)")
		t.Mul(s.Load(h), d, d)
		t.Mul(timesOneMinus(t, u), d, d)
		s.Store(d, r)
	})
	t.End()
}

func timesOneMinus[R, V any](t Target[R, V], u V) V {
	v := t.Copy(u)
	t.MulSub(u, u, v)
	return v
}

func gruResetAfter[R, V any](t Target[R, V]) {
	t.Begin(decl.GRUResetAfter)
	next, x, r, z, u, h, n := t.Arg("next"), t.Arg("x"), t.Arg("r"), t.Arg("z"), t.Arg("u"), t.Arg("h"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("c = tanh(x + σ(r)·u)")
		sum := s.Load(x)
		t.MulAdd(s.Load(u), Sigmoid(t, s.Load(r)), sum)
		c := t.Tanh(sum)
		t.Comment("next = c + σ(z)·(h - c)")
		gate, old := Sigmoid(t, s.Load(z)), s.Load(h)
		t.Sub(c, old, old)
		t.MulAdd(old, gate, c)
		s.Store(c, next)
	})
	t.End()
}

func lstmState[R, V any](t Target[R, V]) {
	t.Begin(decl.LSTMState)
	next, cell, input, forget := t.Arg("next"), t.Arg("cell"), t.Arg("input"), t.Arg("forget")
	candidate, output, c, n := t.Arg("candidate"), t.Arg("output"), t.Arg("c"), t.Arg("n")
	t.Each(n, func(s Span[R, V]) {
		t.Comment("cell = σ(input)·tanh(candidate) + σ(forget)·c")
		sum := Sigmoid(t, s.Load(input))
		t.Mul(t.Tanh(s.Load(candidate)), sum, sum)
		t.MulAdd(s.Load(c), Sigmoid(t, s.Load(forget)), sum)
		s.Store(sum, cell)
		t.Comment("next = σ(output)·tanh(cell)")
		gate := Sigmoid(t, s.Load(output))
		t.Mul(t.Tanh(sum), gate, gate)
		s.Store(gate, next)
	})
	t.End()
}
