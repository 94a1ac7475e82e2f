package kernels

const (
	badGRUGatesRows         = "kernels: GRUGatesRows: shapes do not agree"
	badGRUStateRows         = "kernels: GRUStateRows: shapes do not agree"
	badGRUStateBackwardRows = "kernels: GRUStateBackwardRows: shapes do not agree"
	badGRUGatesBackwardRows = "kernels: GRUGatesBackwardRows: shapes do not agree"
	badGRUResetAfterRows    = "kernels: GRUResetAfterRows: shapes do not agree"
	badLSTMStateRows        = "kernels: LSTMStateRows: shapes do not agree"
)

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
		panic(badGRUGatesRows)
	}
	k.eachRow(eachRowTask{op: rowGRUGates, a: gates, b: rh, h: h}, gates.Rows, 2*CostFunction*n)
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
		panic(badGRUStateRows)
	}
	k.eachRow(eachRowTask{op: rowGRUState, a: gates, b: next, h: h}, gates.Rows, CostFunction*n)
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
		panic(badGRUStateBackwardRows)
	}
	k.eachRow(eachRowTask{op: rowGRUStateBackward, a: gates, b: dh, c: dnext, h: h}, gates.Rows, CostFunction*n)
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
		panic(badGRUGatesBackwardRows)
	}
	k.eachRow(eachRowTask{op: rowGRUGatesBackward, a: gates, b: dh, c: drh, h: h}, m, CostFunction*n)
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
		panic(badGRUResetAfterRows)
	}
	k.eachRow(eachRowTask{op: rowGRUResetAfter, a: gates, b: next, h: h}, gates.Rows, 3*CostFunction*n)
}

// stateBlock returns elements from to to-1 of h, or of a state of zeros if h is nil.
func stateBlock(h []float32, from, to int) []float32 {
	if h == nil {
		return zeros[:to-from]
	}
	return h[from:to]
}

func (k Impl) gruGatesRow(z, r, rh, h []float32) {
	for i := 0; i < len(z); i += block {
		to := min(i+block, len(z))
		k.gruGates(z[i:to], r[i:to], rh[i:to], stateBlock(h, i, to))
	}
}

func (k Impl) gruStateRow(next, candidate, z, h []float32) {
	for i := 0; i < len(z); i += block {
		to := min(i+block, len(z))
		k.gruState(next[i:to], candidate[i:to], z[i:to], stateBlock(h, i, to))
	}
}

func (k Impl) gruStateBackwardRow(dh, candidate, z, h, dnext []float32) {
	for i := 0; i < len(z); i += block {
		to := min(i+block, len(z))
		k.gruStateBackward(dh[i:to], candidate[i:to], z[i:to], stateBlock(h, i, to), dnext[i:to])
	}
}

func (k Impl) gruGatesBackwardRow(dh, r, drh, h []float32) {
	for i := 0; i < len(h); i += block {
		to := min(i+block, len(h))
		k.gruGatesBackward(dh[i:to], r[i:to], drh[i:to], h[i:to])
	}
}

func (k Impl) gruResetAfterRow(next, gates, h []float32) {
	n := len(next)
	for i := 0; i < n; i += block {
		to := min(i+block, n)
		k.gruResetAfter(next[i:to], gates[i:to], gates[n+i:n+to], gates[2*n+i:2*n+to], gates[3*n+i:3*n+to], stateBlock(h, i, to))
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
		panic(badLSTMStateRows)
	}
	k.eachRow(eachRowTask{op: rowLSTMState, a: gates, b: next, c: cell, h: c}, gates.Rows, 5*CostFunction*n)
}

func (k Impl) lstmStateRow(next, cell, gates, c []float32) {
	n := len(next)
	for i := 0; i < n; i += block {
		to := min(i+block, n)
		k.lstmState(next[i:to], cell[i:to], gates[i:to], gates[n+i:n+to], gates[2*n+i:2*n+to], gates[3*n+i:3*n+to], stateBlock(c, i, to))
	}
}

func lstmStateGo(next, cell, input, forget, candidate, output, c []float32) {
	for i, old := range c {
		s := fma(sigmoid(forget[i]), old, float32(sigmoid(input[i])*tanh(candidate[i])))
		cell[i] = s
		next[i] = sigmoid(output[i]) * tanh(s)
	}
}
