package kernels

const badLSTMStateRows = "kernels: LSTMStateRows: shapes do not agree"

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
	reads(gates)
	reads(c)
	writes(next)
	writes(cell)
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
