package bench

// A GRU holds the weights of a gated recurrent unit, or the gradients of all of them. Wz, Wr
// and W are hidden×input, Uz, Ur and U are hidden×hidden, all row-major; Bz, Br and B have
// hidden values.
type GRU struct {
	Wz, Wr, W, Uz, Ur, U []float32
	Bz, Br, B            []float32
}

// Gates are the intermediate values of a GRU step, rows×hidden each.
type Gates struct {
	z, r, candidate, rh []float32
}

// NewGates returns gates for a number of rows.
func NewGates(rows, hidden int) Gates {
	values := func() []float32 { return make([]float32, rows*hidden) }
	return Gates{z: values(), r: values(), candidate: values(), rh: values()}
}

// slice returns values [from:to] of each.
func (s Gates) slice(from, to int) Gates {
	return Gates{s.z[from:to], s.r[from:to], s.candidate[from:to], s.rh[from:to]}
}

// project sets the gates to the projections of the inputs: W·x + b.
func (g *GRU) project(s Gates, x []float32, rows int) {
	GemmUnrolled(s.z, g.Wz, x, g.Bz, rows)
	GemmUnrolled(s.r, g.Wr, x, g.Br, rows)
	GemmUnrolled(s.candidate, g.W, x, g.B, rows)
}

// advance completes the gates and computes the next states from the previous ones h:
//
//	z = σ(Wz·x + Uz·h + bz)    r = σ(Wr·x + Ur·h + br)
//	h̃ = tanh(W·x + U·(r∘h) + b)
//	next = (1-z)∘h + z∘h̃
//
// h and next are rows×hidden, s has rows. rows is at least 1.
func (g *GRU) advance(next, h []float32, s Gates, rows int) {
	GemmAdd(s.z, g.Uz, h, rows)
	Sigmoid(s.z, s.z)
	GemmAdd(s.r, g.Ur, h, rows)
	Sigmoid(s.r, s.r)
	for i, v := range h {
		s.rh[i] = s.r[i] * v
	}
	GemmAdd(s.candidate, g.U, s.rh, rows)
	Tanh(s.candidate, s.candidate)
	for i, v := range h {
		next[i] = (1-s.z[i])*v + s.z[i]*s.candidate[i]
	}
}

// stepBackward is the backward pass of advance for one row, given the gradient dnext of its next
// state. It sets dh, overwrites the gates with the gradients of their pre-activations, and uses
// drh as scratch.
func (g *GRU) stepBackward(s Gates, dh, drh, h, dnext []float32) {
	for i, d := range dnext {
		z, c := s.z[i], s.candidate[i]
		dh[i] = d * (1 - z)
		s.z[i] = d * (c - h[i]) * z * (1 - z)
		s.candidate[i] = d * z * (1 - c*c)
	}
	clear(drh)
	GemmInput(drh, g.U, s.candidate, 1)
	for i, d := range drh {
		r := s.r[i]
		dh[i] += d * r
		s.r[i] = d * h[i] * r * (1 - r)
	}
	GemmInput(dh, g.Uz, s.z, 1)
	GemmInput(dh, g.Ur, s.r, 1)
}

// A run is a GRU over the positions of one sentence and keeps what the backward pass needs.
// Buffers have one row of hidden values per position.
type run struct {
	hidden         int
	gates          Gates
	before, states []float32 // h_{j-1} and h_j
	dstates        []float32
	dbefore, drh   []float32 // one row
}

func newRun(positions, hidden int) *run {
	values := func(rows int) []float32 { return make([]float32, rows*hidden) }
	return &run{
		hidden: hidden, gates: NewGates(positions, hidden),
		before: values(positions), states: values(positions), dstates: values(positions),
		dbefore: values(1), drh: values(1),
	}
}

func (r *run) row(x []float32, position int) []float32 {
	return x[position*r.hidden:][:r.hidden]
}

// step computes the state of a position whose gates hold the projected inputs.
func (r *run) step(g *GRU, position int, previous []float32) {
	before := r.row(r.before, position)
	copy(before, previous)
	s := r.gates.slice(position*r.hidden, (position+1)*r.hidden)
	g.advance(r.row(r.states, position), before, s, 1)
}

// stepBackward adds the gradient of the previous state to dprevious.
func (r *run) stepBackward(g *GRU, position int, dprevious []float32) {
	s := r.gates.slice(position*r.hidden, (position+1)*r.hidden)
	g.stepBackward(s, r.dbefore, r.drh, r.row(r.before, position), r.row(r.dstates, position))
	axpy(dprevious, 1, r.dbefore)
}

// accumulate adds the gradients of the weights to dg and those of the inputs to dx, given the inputs x and
// the gates that stepBackward overwrote.
func (r *run) accumulate(g, dg *GRU, dx, x []float32) {
	s, rows := r.gates, len(r.states)/r.hidden
	GemmGrad(dg.Wz, s.z, x, rows)
	GemmGrad(dg.Wr, s.r, x, rows)
	GemmGrad(dg.W, s.candidate, x, rows)
	GemmGrad(dg.Uz, s.z, r.before, rows)
	GemmGrad(dg.Ur, s.r, r.before, rows)
	GemmGrad(dg.U, s.candidate, s.rh, rows)
	SumRows(dg.Bz, s.z)
	SumRows(dg.Br, s.r)
	SumRows(dg.B, s.candidate)
	GemmInput(dx, g.Wz, s.z, rows)
	GemmInput(dx, g.Wr, s.r, rows)
	GemmInput(dx, g.W, s.candidate, rows)
}
