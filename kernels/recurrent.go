package kernels

// GRUGatesRows computes the gates of a gated recurrent unit (Cho et al., 2014) for a batch, from
// their pre-activations. A row of gates holds z, r and the candidate, n values each, and h is the
// previous state:
//
//	z[i] = σ(z[i])    r[i] = σ(r[i])    rh[i] = r[i]·h[i]
//
// gates is rows×3n, rh is rows×n, and h is m×n with m ≤ rows: the rows that h does not have start
// from a state of zeros. It panics if the shapes do not agree.
func (k Impl) GRUGatesRows(gates, rh, h Matrix) {
	n := h.Cols
	if !gates.hasShape(gates.Rows, 3*n) || !rh.hasShape(gates.Rows, n) || !h.hasShape(min(h.Rows, gates.Rows), n) {
		panic("kernels: GRUGatesRows: shapes do not agree")
	}
	k.eachGate(gateTask{op: gruGates, n: n, gates: gates, y: rh, h: h}, gates.Rows, 2*CostFunction)
}

// GRUStateRows computes the candidate from its pre-activation, which has U·rh added by then, and
// the new state next, which is rows×n, for a batch as in GRUGatesRows:
//
//	candidate[i] = tanh(candidate[i])
//	next[i] = fma(z[i], candidate[i]-h[i], h[i])
//
// next must not overlap the others. It panics if the shapes do not agree.
func (k Impl) GRUStateRows(next, gates, h Matrix) {
	n := h.Cols
	if !gates.hasShape(gates.Rows, 3*n) || !next.hasShape(gates.Rows, n) || !h.hasShape(min(h.Rows, gates.Rows), n) {
		panic("kernels: GRUStateRows: shapes do not agree")
	}
	k.eachGate(gateTask{op: gruState, n: n, gates: gates, y: next, h: h}, gates.Rows, CostFunction)
}

// GRUStateBackwardRows is the backward pass of GRUStateRows for the gradient dnext of next. It
// replaces candidate and z with the gradients of their pre-activations:
//
//	dh[i]        = dnext[i] - z[i]·dnext[i]
//	z[i]         ← dnext[i]·(candidate[i]-h[i]) · z[i]·(1-z[i])
//	candidate[i] ← dnext[i]·z[i] · (1-candidate[i]²)
//
// dh and dnext are rows×n. dh may be dnext. In rows that h does not have, r becomes 0, the gradient
// of its pre-activation. It panics if the shapes do not agree.
func (k Impl) GRUStateBackwardRows(dh, gates, h, dnext Matrix) {
	n := h.Cols
	if !gates.hasShape(gates.Rows, 3*n) || !dh.hasShape(gates.Rows, n) || !dnext.hasShape(gates.Rows, n) ||
		!h.hasShape(min(h.Rows, gates.Rows), n) {
		panic("kernels: GRUStateBackwardRows: shapes do not agree")
	}
	k.eachGate(gateTask{op: gruStateBackward, n: n, gates: gates, y: dh, c: dnext, h: h}, gates.Rows, CostFunction)
}

// GRUGatesBackwardRows is the backward pass of GRUGatesRows for the gradient drh of rh, in the rows
// that h has. It replaces r with the gradient of its pre-activation:
//
//	dh[i] += drh[i]·r[i]    r[i] ← drh[i]·h[i] · r[i]·(1-r[i])
//
// h is m×n; dh, gates and drh have n, 3n and n columns and m rows or more. It panics if the shapes
// do not agree.
func (k Impl) GRUGatesBackwardRows(dh, gates, drh, h Matrix) {
	m, n := h.Rows, h.Cols
	if !h.valid() || !gates.hasShape(max(m, gates.Rows), 3*n) || !dh.hasShape(max(m, dh.Rows), n) ||
		!drh.hasShape(max(m, drh.Rows), n) {
		panic("kernels: GRUGatesBackwardRows: shapes do not agree")
	}
	k.eachGate(gateTask{op: gruGatesBackward, n: n, gates: gates, y: dh, c: drh, h: h}, m, CostFunction)
}

// GRUResetAfterRows computes the new state next of a gated recurrent unit whose reset gate acts after the
// product with the state, as in PyTorch's nn.GRU, for a batch. A row of gates holds pre-activations, n values
// each: the share x of the inputs in the candidate, r, z, and the share u of the state in the candidate. h is the
// previous state:
//
//	candidate = tanh(fma(σ(r[i]), u[i], x[i]))
//	next[i] = fma(σ(z[i]), h[i]-candidate, candidate)
//
// gates is rows×4n, next is rows×n, and h is m×n with m ≤ rows: the rows that h does not have start from a state
// of zeros. The first rows of next may be h. It panics if the shapes do not agree.
func (k Impl) GRUResetAfterRows(next, gates, h Matrix) {
	n := next.Cols
	if !next.hasShape(gates.Rows, n) || !gates.hasShape(gates.Rows, 4*n) || !h.hasShape(min(h.Rows, gates.Rows), n) {
		panic("kernels: GRUResetAfterRows: shapes do not agree")
	}
	k.eachGate(gateTask{op: gruResetAfter, n: n, gates: gates, y: next, h: h}, gates.Rows, 3*CostFunction)
}

// LSTMStateRows computes the new state of a long short-term memory (Hochreiter and Schmidhuber, 1997, with the
// forget gate of Gers et al., 2000) for a batch. A row of gates holds the pre-activations of the input gate, the
// forget gate, the candidate and the output gate, n values each, in the order of PyTorch's nn.LSTM, and c is the
// previous state of the cell:
//
//	cell[i] = fma(σ(forget[i]), c[i], σ(input[i])·tanh(candidate[i]))
//	next[i] = σ(output[i])·tanh(cell[i])
//
// gates is rows×4n, next and cell are rows×n, and c is m×n with m ≤ rows: the rows that c does not have start
// from a cell of zeros. The first rows of cell may be c. It panics if the shapes do not agree.
func (k Impl) LSTMStateRows(next, cell, gates, c Matrix) {
	n := next.Cols
	if !next.hasShape(gates.Rows, n) || !cell.hasShape(gates.Rows, n) || !gates.hasShape(gates.Rows, 4*n) ||
		!c.hasShape(min(c.Rows, gates.Rows), n) {
		panic("kernels: LSTMStateRows: shapes do not agree")
	}
	k.eachGate(gateTask{op: lstmState, n: n, gates: gates, y: next, c: cell, h: c}, gates.Rows, 5*CostFunction)
}

// A gateOp is a kernel on the gates of a recurrent unit.
type gateOp int

const (
	gruGates gateOp = iota
	gruState
	gruStateBackward
	gruGatesBackward
	gruResetAfter
	lstmState
)

// A gateTask divides the rows of a gateOp, which have n values for each gate. Of the other operands, each gateOp
// uses some. The state h may have fewer rows.
type gateTask struct {
	op             gateOp
	n              int
	gates, y, c, h Matrix
}

// eachGate runs g for that many rows, at this cost per value.
func (k Impl) eachGate(g gateTask, rows, cost int) {
	if g.n > 0 && !divided(k, g, int64(rows)*int64(cost*g.n), rows) {
		g.Run(k, 0, rows)
	}
}

func (g *gateTask) Run(k Impl, from, to int) {
	for row := from; row < to; row++ {
		for i := 0; i < g.n; i += block {
			g.block(k, row, i, min(i+block, g.n))
		}
		if from := row*g.gates.Stride + g.n; g.op == gruStateBackward && row >= g.h.Rows {
			clear(g.gates.Data[from : from+g.n]) // r
		}
	}
}

// block computes values i to to-1 of a row.
func (g *gateTask) block(k Impl, row, i, to int) {
	gate := func(j int) []float32 {
		from := row*g.gates.Stride + j*g.n
		return g.gates.Data[from+i : from+to]
	}
	y, h := g.y.row(row)[i:to], zeros[:to-i]
	if row < g.h.Rows {
		h = g.h.row(row)[i:to]
	}
	switch g.op {
	case gruGates:
		k.gruGates(gate(0), gate(1), y, h)
	case gruState:
		k.gruState(y, gate(2), gate(0), h)
	case gruStateBackward:
		k.gruStateBackward(y, gate(2), gate(0), h, g.c.row(row)[i:to])
	case gruGatesBackward:
		k.gruGatesBackward(y, gate(1), g.c.row(row)[i:to], h)
	case gruResetAfter:
		k.gruResetAfter(y, gate(0), gate(1), gate(2), gate(3), h)
	case lstmState:
		k.lstmState(y, g.c.row(row)[i:to], gate(0), gate(1), gate(2), gate(3), h)
	}
}

func gruGatesGo(z, r, rh, h []float32) {
	for i, x := range h {
		z[i] = sigmoid(z[i])
		r[i] = sigmoid(r[i])
		rh[i] = r[i] * x
	}
}

func gruStateGo(next, candidate, z, h []float32) {
	for i, x := range h {
		c := tanh(candidate[i])
		candidate[i] = c
		next[i] = fma(z[i], c-x, x)
	}
}

func gruStateBackwardGo(dh, candidate, z, h, dnext []float32) {
	for i, d := range dnext {
		u, c := z[i], candidate[i]
		dh[i] = fma(-u, d, d)
		z[i] = float32(d*(c-h[i])) * fma(-u, u, u)
		candidate[i] = float32(d*u) * fma(-c, c, 1)
	}
}

func gruGatesBackwardGo(dh, r, drh, h []float32) {
	for i, d := range drh {
		u := r[i]
		dh[i] = fma(d, u, dh[i])
		r[i] = float32(d*h[i]) * fma(-u, u, u)
	}
}

func gruResetAfterGo(next, x, r, z, u, h []float32) {
	for i, old := range h {
		c := tanh(fma(sigmoid(r[i]), u[i], x[i]))
		next[i] = fma(sigmoid(z[i]), old-c, c)
	}
}

func lstmStateGo(next, cell, input, forget, candidate, output, c []float32) {
	for i, old := range c {
		s := fma(sigmoid(forget[i]), old, float32(sigmoid(input[i])*tanh(candidate[i])))
		cell[i] = s
		next[i] = sigmoid(output[i]) * tanh(s)
	}
}
