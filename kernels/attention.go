package kernels

const (
	attentionValues = 16 << 10 // maximum number of elements of keys in one call of assembly
	attentionRows   = 256      // maximum number of rows: even a short one takes the time of its sum
)

// rowsPerCall returns the number of rows of cols ≤ block values in one call. A row takes the time of
// its length rounded up to a multiple of 16.
func rowsPerCall(cols int) int {
	return min(attentionRows, attentionValues/((cols+lanes-1)/lanes*lanes))
}

// Scores computes the additive alignment scores of one query with every key (Bahdanau, Cho and
// Bengio, 2014, appendix A.1.2):
//
//	e[j] = Σ_i v[i]·tanh(q[i] + keys[j][i])
//
// The sums are in the order of Dot, in 16 lanes. q and v have keys.Cols values, e has keys.Rows values. e
// must not overlap the others. It panics if the shapes do not agree.
func (k Impl) Scores(e, q []float32, keys Matrix, v []float32) {
	if !keys.valid() || len(e) != keys.Rows || len(q) != keys.Cols || len(v) != keys.Cols {
		panic("kernels: Scores: shapes of e, q, keys and v do not agree")
	}
	if len(q) == 0 {
		clear(e)
		return
	}
	if len(q) > block {
		for j := range e {
			e[j] = k.longScore(q, keys.Slice(j, j+1), v)
		}
		return
	}
	group := rowsPerCall(keys.Cols)
	for j := 0; j < keys.Rows; j += group {
		to := min(j+group, keys.Rows)
		k.scores(e[j:to], q, keys.Slice(j, to), v)
	}
}

// longScore returns the score of one key of more than a block.
func (k Impl) longScore(q []float32, key Matrix, v []float32) float32 {
	sum := 0.0
	for i := 0; i < len(q); i += block {
		to := min(i+block, len(q))
		var e [1]float32
		k.scores(e[:], q[i:to], key.Columns(i, to), v[i:to])
		sum += float64(e[0])
	}
	return float32(sum)
}

// ScoresBackward is the backward pass of Scores for the gradient de of e. With
// u = tanh(q[i] + keys[j][i]), which it recomputes, and g = de[j]·v[i]·(1-u²), j ascending:
//
//	dv[i] += de[j]·u    dq[i] += g    dkeys[j][i] += g
//
// dkeys has the shape and the stride of keys. It panics if the shapes do not agree.
func (k Impl) ScoresBackward(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32) {
	n := keys.Cols
	if !keys.valid() || !dkeys.valid() || dkeys.Rows != keys.Rows || dkeys.Cols != n || dkeys.Stride != keys.Stride ||
		len(dq) != n || len(dv) != n || len(q) != n || len(v) != n || len(de) != keys.Rows {
		panic("kernels: ScoresBackward: shapes do not agree")
	}
	for i := 0; i < n; i += block {
		to := min(i+block, n)
		part, dpart, group := keys.Columns(i, to), dkeys.Columns(i, to), rowsPerCall(to-i)
		for j := 0; j < part.Rows; j += group {
			end := min(j+group, part.Rows)
			k.scoresBackward(dq[i:to], dpart.Slice(j, end), dv[i:to], q[i:to], part.Slice(j, end), v[i:to], de[j:end])
		}
	}
}

// WeightedSum computes the weighted sum of rows, such as a context vector:
//
//	dst[i] = fma(a[J-1], rows[J-1][i], … fma(a[0], rows[0][i], 0))
//
// It panics if len(dst) != rows.Cols or len(a) != rows.Rows.
func (k Impl) WeightedSum(dst, a []float32, rows Matrix) {
	checkWeightedSum(dst, a, rows)
	clear(dst)
	k.addWeighted(dst, a, rows)
}

// WeightedSumAdd adds the weighted sum to dst, the chain of WeightedSum starting from dst[i].
func (k Impl) WeightedSumAdd(dst, a []float32, rows Matrix) {
	checkWeightedSum(dst, a, rows)
	k.addWeighted(dst, a, rows)
}

func checkWeightedSum(dst, a []float32, rows Matrix) {
	if !rows.valid() || len(dst) != rows.Cols || len(a) != rows.Rows {
		panic("kernels: WeightedSum: len(dst) != rows.Cols or len(a) != rows.Rows")
	}
}

// addWeighted adds Σ_j a[j]·rows[j][i] to dst[i], j ascending.
func (k Impl) addWeighted(dst, a []float32, rows Matrix) {
	for i := 0; i < len(dst); i += block {
		end := min(i+block, len(dst))
		part := rows.Columns(i, end)
		group := rowsPerCall(part.Cols)
		for j := 0; j < part.Rows; j += group {
			to := min(j+group, part.Rows)
			k.weightedSum(dst[i:end], a[j:to], part.Slice(j, to))
		}
	}
}

// RowDots computes dst[j] = Dot(rows[j], x) for every row: a product with weights that are not
// packed, alignment scores of the dot model, or the gradient of a in WeightedSum. It panics if
// len(dst) != rows.Rows or len(x) != rows.Cols.
func (k Impl) RowDots(dst []float32, rows Matrix, x []float32) {
	if !rows.valid() || len(dst) != rows.Rows || len(x) != rows.Cols {
		panic("kernels: RowDots: len(dst) != rows.Rows or len(x) != rows.Cols")
	}
	r := rowDotsTask{dst, rows, x}
	if !divided(k, r, CostMove*int64(rows.Rows*rows.Cols), rows.Rows) {
		r.Run(k, 0, rows.Rows)
	}
}

// A rowDotsTask divides rows.
type rowDotsTask struct {
	dst  []float32
	rows Matrix
	x    []float32
}

func (r *rowDotsTask) Run(k Impl, from, to int) {
	if cols := len(r.x); cols == 0 || cols > block {
		for j := from; j < to; j++ {
			r.dst[j] = float32(k.blockDots(r.rows.row(j), r.x))
		}
		return
	}
	group := rowsPerCall(len(r.x))
	for j := from; j < to; j += group {
		end := min(j+group, to)
		k.rowDots(r.dst[j:end], r.rows.Slice(j, end), r.x)
	}
}

func scoresGo(e, q []float32, keys Matrix, v []float32) {
	for j := range e {
		var lane [lanes]float32
		for i, x := range keys.row(j) {
			lane[i%lanes] = fma(v[i], tanh(q[i]+x), lane[i%lanes])
		}
		e[j] = treeSum(lane[:]) + 0 // -0 + 0 is +0
	}
}

func scoresBackwardGo(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32) {
	for j, d := range de {
		row, drow := keys.row(j), dkeys.row(j)
		for i, x := range row {
			u := tanh(q[i] + x)
			g := float32(d*v[i]) * fma(-u, u, 1)
			dv[i] = fma(d, u, dv[i])
			dq[i] += float32(g)
			drow[i] += float32(g)
		}
	}
}

func weightedSumGo(dst, a []float32, rows Matrix) {
	for j, w := range a {
		addScaled(dst, w, rows.row(j))
	}
}
