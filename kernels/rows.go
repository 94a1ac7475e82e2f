package kernels

import "math"

// AddRows sets dst[i][j] += src[i][j]. It panics if the shapes differ.
func (k Impl) AddRows(dst, src Matrix) {
	if !dst.valid() || !src.hasShape(dst.Rows, dst.Cols) {
		panic("kernels: AddRows: shapes of dst and src differ")
	}
	k.eachRow(eachRowTask{op: rowAdd, a: dst, b: src}, dst.Rows, CostMove*dst.Cols)
}

// SumRows sets dst[j] += Σ_i src[i][j], i ascending: the gradient of a bias. It panics if
// len(dst) != src.Cols.
func (k Impl) SumRows(dst []float32, src Matrix) {
	if !src.valid() || len(dst) != src.Cols {
		panic("kernels: SumRows: len(dst) != src.Cols")
	}
	s, n := sumRowsTask{dst, src}, panels(src.Cols)
	if !divided(k, s, CostMove*int64(src.Rows*src.Cols), n) {
		s.Run(k, 0, n)
	}
}

// A sumRowsTask divides panels of 16 columns.
type sumRowsTask struct {
	dst []float32
	src Matrix
}

func (s *sumRowsTask) Run(k Impl, from, to int) {
	if from == to {
		return // any number of rows without columns
	}
	from, to = from*panel, min(to*panel, s.src.Cols)
	dst, src := s.dst[from:to], s.src.Columns(from, to)
	for i := 0; i < src.Rows; i += attentionRows {
		part := src.Slice(i, min(i+attentionRows, src.Rows))
		k.addWeighted(dst, ones[:part.Rows], part)
	}
}

var ones = func() (one [block]float32) {
	for i := range one {
		one[i] = 1
	}
	return one
}()

// GatherRows sets row i of dst to row rows[i] of src, or to zeros if rows[i] is -1: an embedding
// lookup. It panics if dst.Cols != src.Cols, len(rows) != dst.Rows or src has no such row.
func (k Impl) GatherRows(dst, src Matrix, rows []int32) {
	if !src.valid() || !dst.hasShape(len(rows), src.Cols) || !areRows(rows, src.Rows) {
		panic("kernels: GatherRows: shapes do not agree, or row out of range")
	}
	k.eachRow(eachRowTask{op: rowGather, a: dst, b: src, index: rows}, dst.Rows, CostMove*dst.Cols)
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

// Valid reports whether the number of values fits the shape, so that kernels take t.
func (t Table) Valid() bool {
	if t.IsInt8() {
		return t.Float32.Rows == 0 && t.Int8.valid()
	}
	return t.Float32.valid()
}

// Embed sets row i of dst to row rows[i] of t, or to zeros if rows[i] is -1: an embedding lookup. Values
// of int8 become Scale·q, rounded to float32; a row whose scale is NaN becomes NaN. It panics if
// dst.Cols != t.Cols(), len(rows) != dst.Rows or t has no such row.
func (k Impl) Embed(dst Matrix, t Table, rows []int32) {
	if t.IsInt8() {
		k.gatherRowsInt8(dst, t.Int8, rows)
		return
	}
	k.GatherRows(dst, t.Float32, rows)
}

func (k Impl) gatherRowsInt8(dst Matrix, src RowsInt8, rows []int32) {
	src.check()
	if !dst.hasShape(len(rows), src.Cols) || !areRows(rows, src.Rows) {
		panic("kernels: Embed: shapes do not agree, or row out of range")
	}
	k.eachRow(eachRowTask{op: rowGatherInt8, a: dst, int8: src, index: rows}, dst.Rows, CostMove*dst.Cols)
}

func (k Impl) gatherRowInt8(dst []float32, src RowsInt8, row int) {
	if row < 0 {
		clear(dst)
		return
	}
	q, scale := src.Row(row), src.Scale(row)
	for len(dst) > 0 {
		n := min(len(dst), quantizeBlock)
		k.scaleInt8(dst[:n], q[:n], scale)
		dst, q = dst[n:], q[n:]
	}
}

func scaleInt8Go(y []float32, q []int8, scale float32) {
	for i, v := range q {
		y[i] = float32(v) * scale
	}
}

// ScatterRows adds row i of src to row rows[i] of dst, i ascending, and skips rows[i] = -1: the
// backward pass of GatherRows. It panics if dst.Cols != src.Cols, len(rows) != src.Rows or dst has
// no such row.
func (k Impl) ScatterRows(dst, src Matrix, rows []int32) {
	if !dst.valid() || !src.hasShape(len(rows), dst.Cols) || !areRows(rows, dst.Rows) {
		panic("kernels: ScatterRows: shapes do not agree, or row out of range")
	}
	s, n := scatterTask{dst, src, rows}, panels(src.Cols)
	if !divided(k, s, CostMove*int64(src.Rows*src.Cols), n) {
		s.Run(k, 0, n)
	}
}

// A scatterTask divides panels of 16 columns: two rows of src may belong to one row of dst.
type scatterTask struct {
	dst, src Matrix
	rows     []int32
}

func (s *scatterTask) Run(k Impl, from, to int) {
	from, to = from*panel, min(to*panel, s.src.Cols)
	for i, row := range s.rows {
		if row >= 0 {
			k.Add(s.dst.row(int(row))[from:to], s.src.row(i)[from:to])
		}
	}
}

// areRows reports whether each index is one of n rows or -1.
func areRows(rows []int32, n int) bool {
	for _, row := range rows {
		if row < -1 || int(row) >= n {
			return false
		}
	}
	return true
}

// A rowOp is a kernel that treats every row of its operands alike.
type rowOp int

const (
	rowAdd rowOp = iota
	rowGather
	rowGatherInt8
	rowSoftmax
	rowCrossEntropy
	rowMaxout
	rowMaxoutBackward
	rowLayerNorm
	rowRound
)

// An eachRowTask is a rowOp with its operands, of which each rowOp uses some.
type eachRowTask struct {
	op           rowOp
	a, b         Matrix
	int8         RowsInt8
	bf16         RowsBF16
	values, bias []float32
	index        []int32
	epsilon      float32
}

// eachRow divides n rows, each of that cost, which is 0 for rows without columns.
func (k Impl) eachRow(r eachRowTask, n, cost int) {
	if cost > 0 && !divided(k, r, int64(n)*int64(cost), n) {
		r.Run(k, 0, n)
	}
}

func (r *eachRowTask) Run(k Impl, from, to int) {
	for i := from; i < to; i++ {
		r.row(k, i)
	}
}

func (r *eachRowTask) row(k Impl, i int) {
	switch a := r.a.row(i); r.op {
	case rowAdd:
		k.Add(a, r.b.row(i))
	case rowGather:
		if from := r.index[i]; from >= 0 {
			copy(a, r.b.row(int(from)))
			return
		}
		clear(a)
	case rowGatherInt8:
		k.gatherRowInt8(a, r.int8, int(r.index[i]))
	case rowSoftmax:
		k.Softmax(a, r.b.row(i))
	case rowCrossEntropy:
		r.values[i] = k.CrossEntropy(a, int(r.index[i]))
	case rowMaxout:
		k.maxoutRow(a, r.b.row(i))
	case rowMaxoutBackward:
		k.maxoutBackwardRow(a, r.b.row(i))
	case rowLayerNorm:
		k.layerNormRow(a, r.b.row(i), r.values, r.bias, r.epsilon)
	case rowRound:
		n := bf16RowLen(r.bf16.Cols)
		k.roundRowBF16(r.bf16.data[i*n:(i+1)*n], a)
	}
}

// LayerNormRows normalizes every row of src (Ba, Kiros and Hinton, 2016), as PyTorch's nn.LayerNorm does:
//
//	mean = Σ_j src[i][j] / n    variance = Σ_j (src[i][j]-mean)² / n
//	dst[i][j] = (src[i][j]-mean) · (1/√(variance+epsilon)) · weight[j] + bias[j]
//
// Sums are as in Dot, before its rounding to float32; every other result is rounded to float32 but
// variance+epsilon and its root. dst and src are rows×n, weight and bias have n values, or are nil, which means
// ones and zeros. dst may be src. It panics if the shapes do not agree.
func (k Impl) LayerNormRows(dst, src Matrix, weight, bias []float32, epsilon float32) {
	n := src.Cols
	if !src.valid() || !dst.hasShape(src.Rows, n) || weight != nil && len(weight) != n || bias != nil && len(bias) != n {
		panic("kernels: LayerNormRows: shapes do not agree")
	}
	k.eachRow(eachRowTask{op: rowLayerNorm, a: dst, b: src, values: weight, bias: bias, epsilon: epsilon}, src.Rows, CostFunction*n)
}

func (k Impl) layerNormRow(dst, src, weight, bias []float32, epsilon float32) {
	sum, n := 0.0, float64(len(src))
	for i := 0; i < len(src); i += block {
		part := src[i:min(i+block, len(src))]
		sum += float64(k.dot(part, ones[:len(part)]))
	}
	mean := float32(sum / n)
	for i := 0; i < len(src); i += block {
		to := min(i+block, len(src))
		k.softmaxGradient(dst[i:to], ones[:to-i], src[i:to], mean) // src - mean
	}
	k.Scale(dst, float32(1/math.Sqrt(k.blockDots(dst, dst)/n+float64(epsilon))))
	if weight != nil {
		k.Mul(dst, dst, weight)
	}
	if bias != nil {
		k.Add(dst, bias)
	}
}

// MaxoutRows is a maxout layer over pairs (Goodfellow et al., 2013), for every row of src:
//
//	dst[i][j] = max(src[i][2j], src[i][2j+1])
//
// where the first of two equals counts, and the first of a pair with NaN. dst is rows×n, src is
// rows×2n. dst must not overlap src. It panics if the shapes do not agree.
func (k Impl) MaxoutRows(dst, src Matrix) {
	if !dst.valid() || !src.hasShape(dst.Rows, 2*dst.Cols) {
		panic("kernels: MaxoutRows: dst is not rows×n for src rows×2n")
	}
	k.eachRow(eachRowTask{op: rowMaxout, a: dst, b: src}, dst.Rows, CostMove*src.Cols)
}

// MaxoutBackwardRows is the backward pass of MaxoutRows for the gradient ddst of dst. It replaces
// src with its gradient: ddst[i][j] at the element of each pair that counts, 0 at the other. It
// panics if the shapes do not agree.
func (k Impl) MaxoutBackwardRows(src, ddst Matrix) {
	if !ddst.valid() || !src.hasShape(ddst.Rows, 2*ddst.Cols) {
		panic("kernels: MaxoutBackwardRows: ddst is not rows×n for src rows×2n")
	}
	k.eachRow(eachRowTask{op: rowMaxoutBackward, a: src, b: ddst}, ddst.Rows, CostMove*src.Cols)
}

// maxoutStep is the number of pairs that assembly takes at a time. Rows pad their last pairs in a
// buffer.
const maxoutStep = 16

func (k Impl) maxoutRow(dst, src []float32) {
	for len(dst) >= maxoutStep {
		n := min(len(dst), block) &^ (maxoutStep - 1)
		k.maxout(dst[:n], src[:2*n])
		dst, src = dst[n:], src[2*n:]
	}
	if len(dst) > 0 {
		var d [maxoutStep]float32
		var s [2 * maxoutStep]float32
		copy(s[:], src)
		k.maxout(d[:], s[:])
		copy(dst, d[:])
	}
}

func (k Impl) maxoutBackwardRow(src, ddst []float32) {
	for len(ddst) >= maxoutStep {
		n := min(len(ddst), block) &^ (maxoutStep - 1)
		k.maxoutBackward(src[:2*n], ddst[:n])
		src, ddst = src[2*n:], ddst[n:]
	}
	if len(ddst) > 0 {
		var d [maxoutStep]float32
		var s [2 * maxoutStep]float32
		copy(d[:], ddst)
		copy(s[:], src)
		k.maxoutBackward(s[:], d[:])
		copy(src, s[:])
	}
}

func maxoutGo(dst, src []float32) {
	for j := range dst {
		dst[j] = larger(src[2*j+1], src[2*j])
	}
}

func maxoutBackwardGo(src, ddst []float32) {
	for j, d := range ddst {
		first, second := d, float32(0)
		if src[2*j+1] > src[2*j] {
			first, second = 0, d
		}
		src[2*j], src[2*j+1] = first, second
	}
}
