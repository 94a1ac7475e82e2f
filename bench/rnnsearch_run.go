package bench

// A run is a GRU over the positions of one sentence, with what the backward pass needs.
// Buffers have one row of hidden values for each position.
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

// row returns a row of a buffer.
func (r *run) row(x []float32, position int) []float32 {
	return x[position*r.hidden:][:r.hidden]
}

// step computes the state of a position, whose gates hold what the inputs add to them.
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

// all returns the gates of the first positions.
func (r *run) all(positions int) Gates {
	return r.gates.slice(0, positions*r.hidden)
}

// accumulate adds the gradients of the weights to dg and those of the inputs to dx.
func (r *run) accumulate(g, dg *GRU, dx, x []float32, positions int) {
	s := r.all(positions)
	dg.accumulate(s, x, r.before[:positions*r.hidden], positions)
	g.inputBackward(dx, s, positions)
}
