package kernels

const (
	badAddRows              = "kernels: AddRows: shapes of dst and src differ"
	badMaxoutRows           = "kernels: MaxoutRows: shapes of dst and src do not agree"
	badMaxoutBackwardRows   = "kernels: MaxoutBackwardRows: shapes of src and ddst do not agree"
	badCrossEntropyRows     = "kernels: CrossEntropyRows: lengths of losses and targets are not x.Rows, or a target is out of range"
	badGatherRows           = "kernels: GatherRows: shapes do not agree, or a row out of range"
	badScatterRows          = "kernels: ScatterRows: shapes do not agree, or a row out of range"
	badGRUGatesRows         = "kernels: GRUGatesRows: shapes do not agree"
	badGRUStateRows         = "kernels: GRUStateRows: shapes do not agree"
	badGRUStateBackwardRows = "kernels: GRUStateBackwardRows: shapes do not agree"
	badGRUGatesBackwardRows = "kernels: GRUGatesBackwardRows: shapes do not agree"
)

// AddRows is Add for every row of dst and src. It panics if their shapes differ.
func (k Impl) AddRows(dst, src Matrix) {
	if !dst.valid() || !src.is(dst.Rows, dst.Cols) {
		panic(badAddRows)
	}
	k.eachRow(rowwise{op: rowAdd, a: dst, b: src}, dst.Rows, CostMove*dst.Cols)
}

// MaxoutRows is Maxout for every row. dst is rows×n, src rows×2n. It panics if they are not.
func (k Impl) MaxoutRows(dst, src Matrix) {
	if !dst.valid() || !src.is(dst.Rows, 2*dst.Cols) {
		panic(badMaxoutRows)
	}
	k.eachRow(rowwise{op: rowMaxout, a: dst, b: src}, dst.Rows, CostMove*src.Cols)
}

// MaxoutBackwardRows is MaxoutBackward for every row. src is rows×2n, ddst rows×n. It panics
// if they are not.
func (k Impl) MaxoutBackwardRows(src, ddst Matrix) {
	if !ddst.valid() || !src.is(ddst.Rows, 2*ddst.Cols) {
		panic(badMaxoutBackwardRows)
	}
	k.eachRow(rowwise{op: rowMaxoutBackward, a: src, b: ddst}, ddst.Rows, CostMove*src.Cols)
}

// CrossEntropyRows is CrossEntropy for every row of x, with targets[i] and the loss
// losses[i] of row i. It panics if their lengths are not x.Rows or a target is out of range.
func (k Impl) CrossEntropyRows(losses []float32, x Matrix, targets []int32) {
	if !x.valid() || len(losses) != x.Rows || len(targets) != x.Rows {
		panic(badCrossEntropyRows)
	}
	for _, t := range targets {
		if t < 0 || int(t) >= x.Cols {
			panic(badCrossEntropyRows)
		}
	}
	k.eachRow(rowwise{op: rowCrossEntropy, a: x, values: losses, index: targets}, x.Rows, CostFunction*x.Cols)
}

// GatherRows sets row i of dst to row rows[i] of src, or to zeros for -1: embeddings of words.
// It panics if dst.Cols != src.Cols, len(rows) != dst.Rows or there is no such row.
func (k Impl) GatherRows(dst, src Matrix, rows []int32) {
	if !src.valid() || !dst.is(len(rows), src.Cols) || !src.has(rows) {
		panic(badGatherRows)
	}
	k.eachRow(rowwise{op: rowGather, a: dst, b: src, index: rows}, dst.Rows, CostMove*dst.Cols)
}

// ScatterRows adds row i of src to row rows[i] of dst for i ascending, but for rows[i] = -1:
// the backward pass of GatherRows. It panics if dst.Cols != src.Cols, len(rows) != src.Rows or
// there is no such row.
func (k Impl) ScatterRows(dst, src Matrix, rows []int32) {
	if !dst.valid() || !src.is(len(rows), dst.Cols) || !dst.has(rows) {
		panic(badScatterRows)
	}
	s := scattering{dst, src, rows}
	t, n := k.team, panels(src.Cols)
	if !t.divides(CostMove*src.Rows*src.Cols, n) {
		s.Run(k, 0, n)
		return
	}
	t.scatter = s
	t.do(k, &t.scatter, n)
}

// A scattering is the operands of ScatterRows, whose panels of columns are divided.
type scattering struct {
	dst, src Matrix
	rows     []int32
}

func (s *scattering) Run(k Impl, from, to int) {
	from, to = from*panel, min(to*panel, s.src.Cols)
	for i, row := range s.rows {
		if row >= 0 {
			k.Add(s.dst.Row(int(row))[from:to], s.src.Row(i)[from:to])
		}
	}
}

// has reports whether each of these is a row of m, or -1.
func (m Matrix) has(rows []int32) bool {
	for _, row := range rows {
		if row < -1 || int(row) >= m.Rows {
			return false
		}
	}
	return true
}

// GRUGatesRows is GRUGates for a batch. A row of gates holds z, r and the candidate, one
// after the other; rh receives r∘h. Rows that h does not have continue from zero, a vector of
// zeros. gates is rows×3n, rh rows×n, h up to rows×n. It panics if they are not.
func (k Impl) GRUGatesRows(gates, rh, h Matrix, zero []float32) {
	n := len(zero)
	if !gates.is(gates.Rows, 3*n) || !rh.is(gates.Rows, n) || !h.is(min(h.Rows, gates.Rows), n) {
		panic(badGRUGatesRows)
	}
	k.eachRow(rowwise{op: rowGRUGates, a: gates, b: rh, h: h, values: zero}, gates.Rows, 2*CostFunction*n)
}

// GRUStateRows is GRUState for a batch, with the shapes of GRUGatesRows. next is rows×n.
func (k Impl) GRUStateRows(next, gates, h Matrix, zero []float32) {
	n := len(zero)
	if !gates.is(gates.Rows, 3*n) || !next.is(gates.Rows, n) || !h.is(min(h.Rows, gates.Rows), n) {
		panic(badGRUStateRows)
	}
	k.eachRow(rowwise{op: rowGRUState, a: gates, b: next, h: h, values: zero}, gates.Rows, CostFunction*n)
}

// GRUStateBackwardRows is GRUStateBackward for a batch, with the shapes of GRUGatesRows. dh
// and dnext are rows×n. In rows that h does not have, r becomes 0, the gradient of its
// pre-activation.
func (k Impl) GRUStateBackwardRows(dh, gates, h, dnext Matrix, zero []float32) {
	n := len(zero)
	if !gates.is(gates.Rows, 3*n) || !dh.is(gates.Rows, n) || !dnext.is(gates.Rows, n) || !h.is(min(h.Rows, gates.Rows), n) {
		panic(badGRUStateBackwardRows)
	}
	k.eachRow(rowwise{op: rowGRUStateBackward, a: gates, b: dh, c: dnext, h: h, values: zero}, gates.Rows, CostFunction*n)
}

// GRUGatesBackwardRows is GRUGatesBackward for the rows of h, the first of a batch. h is
// m×n; dh, gates and drh have at least m rows, of n, 3n and n values.
func (k Impl) GRUGatesBackwardRows(dh, gates, drh, h Matrix) {
	m, n := h.Rows, h.Cols
	if !h.valid() || !gates.is(max(m, gates.Rows), 3*n) || !dh.is(max(m, dh.Rows), n) || !drh.is(max(m, drh.Rows), n) {
		panic(badGRUGatesBackwardRows)
	}
	k.eachRow(rowwise{op: rowGRUGatesBackward, a: gates, b: dh, c: drh, h: h}, m, CostFunction*n)
}

// A rowOp is a kernel that takes row after row.
type rowOp int

const (
	rowAdd rowOp = iota
	rowMaxout
	rowMaxoutBackward
	rowCrossEntropy
	rowGather
	rowGRUGates
	rowGRUState
	rowGRUStateBackward
	rowGRUGatesBackward
)

// rowwise is the operands of a rowOp.
type rowwise struct {
	op         rowOp
	a, b, c, h Matrix
	values     []float32
	index      []int32
}

// eachRow divides n rows of that cost among the threads.
func (k Impl) eachRow(r rowwise, n, cost int) {
	t := k.team
	if !t.divides(n*cost, n) {
		k.rowRange(&r, 0, n)
		return
	}
	t.rowwise = r
	t.do(k, &t.rowwise, n)
}

func (r *rowwise) Run(k Impl, from, to int) { k.rowRange(r, from, to) }

// rowRange computes rows from to to-1.
func (k Impl) rowRange(r *rowwise, from, to int) {
	for i := from; i < to; i++ {
		k.row(r, i)
	}
}

func (k Impl) row(r *rowwise, i int) {
	switch a := r.a.Row(i); r.op {
	case rowAdd:
		k.Add(a, r.b.Row(i))
	case rowMaxout:
		k.Maxout(a, r.b.Row(i))
	case rowMaxoutBackward:
		k.MaxoutBackward(a, r.b.Row(i))
	case rowCrossEntropy:
		r.values[i] = k.CrossEntropy(a, int(r.index[i]))
	case rowGather:
		if from := r.index[i]; from >= 0 {
			copy(a, r.b.Row(int(from)))
			return
		}
		clear(a)
	case rowGRUGates:
		n := len(a) / 3
		k.GRUGates(a[:n], a[n:2*n], r.b.Row(i), r.state(i))
	case rowGRUState:
		n := len(a) / 3
		k.GRUState(r.b.Row(i), a[2*n:], a[:n], r.state(i))
	case rowGRUStateBackward:
		n := len(a) / 3
		k.GRUStateBackward(r.b.Row(i), a[2*n:], a[:n], r.state(i), r.c.Row(i))
		if i >= r.h.Rows {
			clear(a[n : 2*n])
		}
	case rowGRUGatesBackward:
		n := len(a) / 3
		k.GRUGatesBackward(r.b.Row(i), a[n:2*n], r.c.Row(i), r.h.Row(i))
	}
}

// state returns the previous state of row i: zeros where h has no such row.
func (r *rowwise) state(i int) []float32 {
	if i < r.h.Rows {
		return r.h.Row(i)
	}
	return r.values
}
