package kernels

// Weights is a weight matrix in one of three precisions, for code that computes with any of them: the
// other fields are zero.
type Weights struct {
	Float32 Packed
	Int8    PackedInt8
	BF16    PackedBF16
}

// Out returns the number of outputs.
func (w Weights) Out() int { return max(w.Float32.Out, w.Int8.Out, w.BF16.Out) }

// In returns the number of inputs.
func (w Weights) In() int { return max(w.Float32.In, w.Int8.In, w.BF16.In) }

// IsInt8 reports whether the weights are of int8.
func (w Weights) IsInt8() bool { return w.isInt8() }

// isInt8 and isBF16 take pointers since Weights are large.
func (w *Weights) isInt8() bool { return w.Int8.Out > 0 || w.Int8.In > 0 }
func (w *Weights) isBF16() bool { return w.BF16.Out > 0 || w.BF16.In > 0 }

// Valid reports whether the values are as many as the shape says, and of one precision, so that kernels
// take w.
func (w Weights) Valid() bool {
	kinds := 0
	for _, has := range []bool{w.Float32.Out > 0 || w.Float32.In > 0, w.isInt8(), w.isBF16()} {
		if has {
			kinds++
		}
	}
	return kinds <= 1 && w.Float32.valid() && w.Int8.valid() && w.BF16.valid()
}

// A Scratch is room for what [Impl.Linear], [Impl.LinearAdd], [Impl.LinearGrad] and
// [Impl.LinearTranspose] compute on the way: inputs rounded to the precision of the product, and
// gathered columns. Linear and LinearAdd with weights of float32, and their transposes, need none.
type Scratch struct {
	Int8   RowsInt8  // inputs of products with weights of int8: see RowsInt8.View
	BF16   RowsBF16  // inputs of products with weights of bfloat16: see RowsBF16.View
	DYBF16 RowsBF16  // gradients of the outputs of products in bfloat16
	Grad   []float32 // of LinearGrad: see GradScratch
}

// Using returns the same implementation working with scratch s, or without one if s is nil. An Impl
// with a scratch, and every copy of it, must not be used by two goroutines at once; a Task that the
// team of such an Impl divides gets an Impl without one. s stays the caller's, who may change its
// fields between calls.
func (k Impl) Using(s *Scratch) Impl {
	k.scratch = s
	return k
}

// Linear computes y = act(x·Wᵀ + bias) for every row of x: a linear layer. For weights of float32 it is
// [Impl.Gemm]. Otherwise it rounds x to the precision of the weights, in the scratch, by [Impl.Quantize]
// or by rounding to bfloat16: to the nearest value of 8 significant bits, ties to even, or to an infinity
// where the magnitude rounds to 2¹²⁸. A value of a magnitude below 2⁻⁵⁶ becomes +0, an infinity stays, and
// NaN stays NaN.
//
// A product of int8 is exact in integers before the scales:
//
//	y[m][n] = act(fma(float32(Σ_k xq[m][k]·wq[n][k]), x.Scale(m)·w.Scales[n], bias[n]))
//
// The sum is that of integers, so it has no rounding, and the product of the scales is rounded to
// float32. A product of bfloat16 is in float32 from factors in bfloat16:
//
//	y[m][n] = act((… ((+0 + S₀) + S₁) … + S_last) + bias[n])
//	S_b = even + odd
//	even = fma(x[m][32b+30], w[n][32b+30], … fma(x[m][32b+2], w[n][32b+2], fma(x[m][32b], w[n][32b], +0)))
//	odd = fma(x[m][32b+31], w[n][32b+31], … fma(x[m][32b+3], w[n][32b+3], fma(x[m][32b+1], w[n][32b+1], +0)))
//
// Every sum and fma is rounded once, to the nearest float32, ties to even. In the last block, the chains
// end with the last input; zeros that pad both factors give the same bits, since no chain can be -0. A
// product of two bfloat16 values is exact in float32 unless it overflows, and an fma only overflows if
// its result does. Infinities and NaN follow IEEE 754.
//
// w is Out×In, x is M×In, y is M×Out, bias has Out values or is nil, which means zeros. y must not
// overlap the others. It panics if the shapes do not agree, act is unknown, or k has no scratch with room
// for x in the precision of w (see Using).
func (k Impl) Linear(y Matrix, w Weights, x Matrix, bias []float32, act Activation) {
	k.multiply(&product{y: y, w: w, x: k.rounded(&w, x), bias: bias, act: act})
}

// LinearAdd computes y = act(y + x·Wᵀ): Linear with y[m][n] in place of bias[n], or for weights of
// bfloat16 in place of +0, without a bias.
func (k Impl) LinearAdd(y Matrix, w Weights, x Matrix, act Activation) {
	k.multiply(&product{y: y, w: w, x: k.rounded(&w, x), act: act, add: true})
}

// rounded returns x in the precision of w, in the scratch.
func (k Impl) rounded(w *Weights, x Matrix) inputs {
	switch {
	case w.isInt8():
		q := k.room().Int8.View(x.Rows, x.Cols)
		k.Quantize(q, x)
		return inputs{int8: q}
	case w.isBF16():
		return inputs{bf16: k.roundedBF16(k.room().BF16, x)}
	}
	return inputs{float32: x}
}

// LinearTranspose sets dst, padding included, to the transpose of src, rounded if dst is of bfloat16. Then
// the scratch's Grad has room for the transpose in float32, PackedLen(src.In, src.Out) values. dst must
// not overlap src. It panics if dst is not src.In×src.Out.
func (k Impl) LinearTranspose(dst Weights, src Packed) {
	if !dst.isBF16() {
		k.transposePacked(dst.Float32, src)
		return
	}
	exact := PackedOf(k.room().Grad[:PackedLen(src.In, src.Out)], src.In, src.Out)
	k.transposePacked(exact, src)
	k.RoundPackedBF16(dst.BF16, exact)
}

// room returns the scratch of k, or an empty one.
func (k Impl) room() Scratch {
	if k.scratch == nil {
		return Scratch{}
	}
	return *k.scratch
}

// roundedBF16 returns x in the memory of room.
func (k Impl) roundedBF16(room RowsBF16, x Matrix) RowsBF16 {
	r := room.View(x.Rows, x.Cols)
	k.roundRowsBF16(r, x)
	return r
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

// Lookup sets row i of dst to row rows[i] of t, or to zeros if rows[i] is -1: an embedding lookup. Values
// of int8 become Scale·q, rounded to float32; a row whose scale is NaN becomes NaN. It panics if
// dst.Cols != t.Cols(), len(rows) != dst.Rows or t has no such row.
func (k Impl) Lookup(dst Matrix, t Table, rows []int32) {
	if t.IsInt8() {
		k.gatherRowsInt8(dst, t.Int8, rows)
		return
	}
	k.GatherRows(dst, t.Float32, rows)
}
