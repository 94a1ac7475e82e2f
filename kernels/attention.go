package kernels

const (
	badScores          = "kernels: Scores: shapes of e, q, keys and v do not agree"
	badScoresBackward  = "kernels: ScoresBackward: shapes do not agree"
	badWeightedSum     = "kernels: WeightedSum: len(dst) != rows.Cols or len(a) != rows.Rows"
	badContextBackward = "kernels: ContextBackward: shapes do not agree"
)

// attentionValues bounds the elements of keys that one call of assembly handles.
const attentionValues = 16 << 10

// Scores computes the additive alignment scores of one query with every key:
//
//	e[j] = Σ_i v[i] · tanh(q[i] + keys[j][i])
//
// each sum in 16 lanes. q and v have keys.Cols values, e has keys.Rows. e must not overlap
// the others. It panics if the shapes do not agree.
func (k Impl) Scores(e, q []float32, keys Matrix, v []float32) {
	if !keys.valid() || len(e) != keys.Rows || len(q) != keys.Cols || len(v) != keys.Cols {
		panic(badScores)
	}
	if len(q) == 0 {
		clear(e)
		return
	}
	group := max(1, attentionValues/keys.Cols)
	for j := 0; j < keys.Rows; j += group {
		to := min(j+group, keys.Rows)
		k.scores(e[j:to], q, keys.Slice(j, to), v)
	}
}

// ScoresBackward is the backward pass of Scores for the gradient de of e. With
// u = tanh(q[i] + keys[j][i]) computed again and g = de[j]·v[i]·(1-u²), for j ascending:
//
//	dv[i] += de[j]·u    dq[i] += g    dkeys[j][i] += g
//
// keys and dkeys have the same shape and stride. It panics if the shapes do not agree.
func (k Impl) ScoresBackward(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32) {
	n := keys.Cols
	if !keys.valid() || !dkeys.valid() || dkeys.Rows != keys.Rows || dkeys.Cols != n || dkeys.Stride != keys.Stride ||
		len(dq) != n || len(dv) != n || len(q) != n || len(v) != n || len(de) != keys.Rows {
		panic(badScoresBackward)
	}
	if n == 0 {
		return
	}
	group := max(1, attentionValues/n)
	for j := 0; j < keys.Rows; j += group {
		to := min(j+group, keys.Rows)
		k.scoresBackward(dq, dkeys.Slice(j, to), dv, q, keys.Slice(j, to), v, de[j:to])
	}
}

// WeightedSum computes dst[i] = Σ_j a[j]·rows[j][i], j ascending: a context vector.
// It panics if len(dst) != rows.Cols or len(a) != rows.Rows.
func (k Impl) WeightedSum(dst, a []float32, rows Matrix) {
	if !rows.valid() || len(dst) != rows.Cols || len(a) != rows.Rows {
		panic(badWeightedSum)
	}
	clear(dst)
	if len(dst) == 0 {
		return
	}
	group := max(1, attentionValues/rows.Cols)
	for j := 0; j < rows.Rows; j += group {
		to := min(j+group, rows.Rows)
		k.weightedSum(dst, a[j:to], rows.Slice(j, to))
	}
}

// ContextBackward is the backward pass of WeightedSum for the gradient dc of its result:
//
//	da[j] = Σ_i dc[i]·rows[j][i]    drows[j][i] += a[j]·dc[i]
//
// the sum in 16 lanes. rows and drows have the same shape and stride. It panics if the
// shapes do not agree.
func (k Impl) ContextBackward(da []float32, drows Matrix, a []float32, rows Matrix, dc []float32) {
	n := rows.Cols
	if !rows.valid() || !drows.valid() || drows.Rows != rows.Rows || drows.Cols != n || drows.Stride != rows.Stride ||
		len(da) != rows.Rows || len(a) != rows.Rows || len(dc) != n {
		panic(badContextBackward)
	}
	if n == 0 {
		clear(da)
		return
	}
	group := max(1, attentionValues/n)
	for j := 0; j < rows.Rows; j += group {
		to := min(j+group, rows.Rows)
		k.contextBackward(da[j:to], drows.Slice(j, to), a[j:to], rows.Slice(j, to), dc)
	}
}

func scoresGo(e, q []float32, keys Matrix, v []float32) {
	for j := range e {
		var lane [lanes]float32
		for i, x := range keys.Row(j) {
			lane[i%lanes] = fma(v[i], tanh(q[i]+x), lane[i%lanes])
		}
		fillUp(&lane, len(q))
		e[j] = treeSum(&lane)
	}
}

func scoresBackwardGo(dq []float32, dkeys Matrix, dv, q []float32, keys Matrix, v, de []float32) {
	for j, d := range de {
		row, drow := keys.Row(j), dkeys.Row(j)
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
		for i, x := range rows.Row(j) {
			dst[i] = fma(w, x, dst[i])
		}
	}
}

func contextBackwardGo(da []float32, drows Matrix, a []float32, rows Matrix, dc []float32) {
	for j, w := range a {
		da[j] = dotGo(dc, rows.Row(j))
		drow := drows.Row(j)
		for i, d := range dc {
			drow[i] = fma(w, d, drow[i])
		}
	}
}
