package kernels

// Weights is a weight matrix of float32 or of int8, for code that computes with either: the other
// field is zero.
type Weights struct {
	Float32 Packed
	Int8    PackedInt8
}

// Out returns the number of outputs.
func (w Weights) Out() int { return max(w.Float32.Out, w.Int8.Out) }

// In returns the number of inputs.
func (w Weights) In() int { return max(w.Float32.In, w.Int8.In) }

// IsInt8 reports whether the weights are of int8.
func (w Weights) IsInt8() bool { return w.Int8.Out > 0 || w.Int8.In > 0 }

// Valid reports whether the values are as many as the shape says, so that kernels take w.
func (w Weights) Valid() bool {
	if w.IsInt8() {
		return w.Float32.Out == 0 && w.Int8.valid()
	}
	return w.Float32.valid()
}

// Linear computes y = act(x·Wᵀ + bias) for every row of x: a linear layer. It is Gemm, or for weights
// of int8 Quantize to scratch and GemmInt8. Only int8 needs a scratch, with room for x (see
// [RowsInt8.View]). It panics as those do.
func (k Impl) Linear(y Matrix, w Weights, x Matrix, bias []float32, act Activation, scratch RowsInt8) {
	if !w.IsInt8() {
		k.Gemm(y, w.Float32, x, bias, act)
		return
	}
	q := scratch.View(x.Rows, x.Cols)
	k.Quantize(q, x)
	k.GemmInt8(y, w.Int8, q, bias, act)
}

// LinearAdd is Linear with y[m][n] in place of bias[n]: it computes y = act(y + x·Wᵀ).
func (k Impl) LinearAdd(y Matrix, w Weights, x Matrix, act Activation, scratch RowsInt8) {
	if !w.IsInt8() {
		k.GemmAdd(y, w.Float32, x, act)
		return
	}
	q := scratch.View(x.Rows, x.Cols)
	k.Quantize(q, x)
	k.GemmAddInt8(y, w.Int8, q, act)
}

// A Table is a matrix of embeddings of float32 or of int8, a row for each word: the other field is
// zero.
type Table struct {
	Float32 Matrix
	Int8    RowsInt8
}

// Rows returns the number of rows.
func (t Table) Rows() int { return max(t.Float32.Rows, t.Int8.Rows) }

// Cols returns the number of columns.
func (t Table) Cols() int { return max(t.Float32.Cols, t.Int8.Cols) }

// IsInt8 reports whether the embeddings are of int8.
func (t Table) IsInt8() bool { return t.Int8.Rows > 0 || t.Int8.Cols > 0 }

// Valid reports whether the values are as many as the shape says, so that kernels take t.
func (t Table) Valid() bool {
	if t.IsInt8() {
		return t.Float32.Rows == 0 && t.Int8.valid()
	}
	return t.Float32.valid()
}

// Lookup sets row i of dst to row rows[i] of t, or to zeros if rows[i] is -1. It is GatherRows or
// GatherRowsInt8 and panics as they do.
func (k Impl) Lookup(dst Matrix, t Table, rows []int32) {
	if t.IsInt8() {
		k.GatherRowsInt8(dst, t.Int8, rows)
		return
	}
	k.GatherRows(dst, t.Float32, rows)
}
