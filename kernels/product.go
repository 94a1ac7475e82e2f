package kernels

import "github.com/softsearch-go/softsearch/asm"

// An Activation is a function that a product applies to its results before it stores them, with
// the bits of the kernel of the same name.
type Activation int

// The activations.
const (
	Identity Activation = asm.Identity
	Tanh     Activation = asm.ActTanh
	Sigmoid  Activation = asm.ActSigmoid
	ReLU     Activation = asm.ActReLU
)

// Gemm computes y = act(x·Wᵀ + bias) for every row of x:
//
//	y[m][n] = act(fma(x[m][K-1], w[n][K-1], … fma(x[m][0], w[n][0], bias[n])))
//
// w is Out×In, x is M×In, y is M×Out, bias has Out values or is nil, which means zeros. y must not
// overlap the others. It panics if the shapes do not agree or act is unknown.
func (k Impl) Gemm(y Matrix, w Packed, x Matrix, bias []float32, act Activation) {
	k.multiply(&product{y: y, w: Weights{Float32: w}, x: inputs{float32: x}, bias: bias, act: act})
}

// Gemv computes y = act(W·x + bias), the one-row case of Gemm with the same bits:
//
//	y[n] = act(fma(x[K-1], w[n][K-1], … fma(x[0], w[n][0], bias[n])))
//
// w is Out×In, x has In values, y has Out values, bias has Out values or is nil, which means
// zeros. y must not overlap the others. It panics if the lengths do not agree or act is unknown.
func (k Impl) Gemv(y []float32, w Packed, x, bias []float32, act Activation) {
	k.multiply(&product{y: row(y), w: Weights{Float32: w}, x: inputs{float32: row(x)}, bias: bias, act: act})
}

func row(x []float32) Matrix { return Matrix{1, len(x), len(x), x} }

// A product is y = act(x·Wᵀ + bias), or act(y + x·Wᵀ) if add is set, of weights and inputs of one
// precision.
type product struct {
	y    Matrix
	w    Weights
	x    inputs
	bias []float32
	act  Activation
	add  bool
}

// inputs are the rows of x in the precision of the weights.
type inputs struct {
	float32 Matrix
	int8    RowsInt8
	bf16    RowsBF16
}

// At most 1<<int8Shift multiplications of int8, or 1<<bf16Shift of bfloat16, take as long as one of float32.
// These are shifts because Go 1.26 for ppc64le lets a signed division overwrite the flags of a comparison
// with nil: that in Team.divides, once inlined.
const (
	int8Shift = 2
	bf16Shift = 1
)

// multiply computes a product, divided by rows if each thread has enough of them, and by panels otherwise: a
// thread reads all the weights for its rows, and a few panels do not make wide tiles. It panics if the
// shapes do not agree or the activation is unknown.
func (k Impl) multiply(g *product) {
	var out, in, rows, cols int
	var shift uint
	switch w, x := &g.w, &g.x; {
	case w.isInt8() || x.int8.Rows > 0: // also without weights
		w.Int8.check()
		x.int8.check()
		out, in, rows, cols, shift = w.Int8.Out, w.Int8.In, x.int8.Rows, x.int8.Cols, int8Shift
	case w.isBF16() || x.bf16.Rows > 0:
		w.BF16.check()
		x.bf16.check()
		out, in, rows, cols, shift = w.BF16.Out, w.BF16.In, x.bf16.Rows, x.bf16.Cols, bf16Shift
	default:
		w.Float32.check()
		if !x.float32.readable() {
			panic("kernels: x of a product is shorter than its shape")
		}
		out, in, rows, cols, shift = w.Float32.Out, w.Float32.In, x.float32.Rows, x.float32.Cols, 0
	}
	switch {
	case !g.y.valid():
		panic("kernels: y of a product is shorter than its shape, or its rows overlap")
	case g.y.Rows != rows:
		panic("kernels: y and x of a product differ in rows")
	case g.y.Cols != out:
		panic("kernels: y and w of a product differ in outputs")
	case cols != in:
		panic("kernels: x and w of a product differ in inputs")
	case g.bias != nil && len(g.bias) != out:
		panic("kernels: bias and w of a product differ in outputs")
	case g.act < Identity || g.act > ReLU:
		panic("kernels: unknown activation")
	}
	t, n, size := k.team, panels(out), int64(0)
	if t != nil {
		size = int64(max(rows, CostMove)) * int64(out*in) >> shift // with few rows, reading the weights takes the time
	}
	switch {
	case t.divides(size, rows/gemmShare):
		divide(k, rowTask{*g}, rows)
	case t.divides(size, n):
		divide(k, panelTask{*g}, n)
	default:
		k.panels(g, 0, n)
	}
}

// gemmShare is the minimum number of rows per thread to divide by rows.
const gemmShare = 32

// A rowTask divides the rows of a product.
type rowTask struct{ product }

func (t *rowTask) Run(k Impl, from, to int) {
	part := t.slice(from, to)
	k.panels(&part, 0, panels(part.y.Cols))
}

// A panelTask divides the panels of a product.
type panelTask struct{ product }

func (t *panelTask) Run(k Impl, from, to int) { k.panels(&t.product, from, to) }

// slice returns the product of rows from to to-1.
func (g *product) slice(from, to int) product {
	part := *g
	part.y = g.y.Slice(from, to)
	switch {
	case g.w.isInt8():
		part.x.int8 = g.x.int8.Slice(from, to)
	case g.w.isBF16():
		part.x.bf16 = g.x.bf16.Slice(from, to)
	default:
		part.x.float32 = g.x.float32.Slice(from, to)
	}
	return part
}

// panels computes panels first to end-1.
func (k Impl) panels(g *product, first, end int) {
	switch {
	case first == end:
	case g.w.isInt8():
		k.panelsInt8(g, first, end)
	case g.w.isBF16():
		k.panelsBF16(g, first, end)
	case g.y.Rows == 1:
		k.gemvPanels(g, first, end)
	default:
		k.tiles(g, nil, first, end)
	}
}

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

// Valid reports whether the number of values fits the shape, and the precision is one, so that kernels
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
// The sum is of integers, so it has no rounding, and the product of the scales is rounded to
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
// not overlap src. It panics if dst is not src.In×src.Out, or Grad is too short.
func (k Impl) LinearTranspose(dst Weights, src Packed) {
	if !dst.isBF16() {
		k.transposePacked(dst.Float32, src)
		return
	}
	room := k.room().Grad
	n, ok := PackedLen(src.In, src.Out)
	if !ok || len(room) < n {
		panic("kernels: LinearTranspose: the scratch's Grad is shorter than PackedLen(In, Out)")
	}
	exact := ViewPacked(room[:n], src.In, src.Out)
	k.transposePacked(exact, src)
	k.RoundPackedBF16(dst.BF16, exact)
}

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

const (
	gemvValues = 64 << 10  // maximum number of weights in one call of assembly
	gemvDepth  = 1024      // maximum number of its inputs
	gemvNear   = 320 << 10 // weights of a product that a second-level cache holds for the most part
)

// gemvPanels computes panels first to end-1 of a product of one row: groups of whole panels in
// one call each, and a last panel of fewer than 16 outputs through a buffer.
func (k Impl) gemvPanels(g *product, first, end int) {
	y, w, x := g.y.row(0), g.w.Float32, g.x.float32.row(0)
	stride := panelStride(w.In)
	whole := min(end, w.Out/panel)
	group, near := gemvPanelCount(w.In), 0
	if (end-first)*stride <= gemvNear {
		near = 1
	}
	for p := first; p < whole; p += group {
		n := min(group, whole-p)
		v := vector{
			y: y[p*panel : (p+n)*panel], x: x, w: w.Data[p*stride:], stride: stride, panels: n,
			near: near, add: g.add, act: g.act,
		}
		if g.bias != nil {
			v.bias = g.bias[p*panel : (p+n)*panel]
		}
		k.gemvSpans(&v)
	}
	if whole < end {
		rest := y[whole*panel:]
		var buffer, start [panel]float32
		if g.add {
			copy(buffer[:], rest)
		}
		v := vector{
			y: buffer[:], x: x, w: w.Data[whole*stride:], stride: stride, panels: 1,
			add: g.add, act: g.act,
		}
		if g.bias != nil {
			copy(start[:], g.bias[whole*panel:])
			v.bias = start[:]
		}
		k.gemvSpans(&v)
		copy(rest, buffer[:])
	}
}

// gemvPanelCount returns the number of panels in one call, a multiple of 4 with at most a block
// of outputs.
func gemvPanelCount(in int) int {
	return min(block/panel, gemvValues/panel/max(1, min(in, gemvDepth))) &^ 3
}

// A vector is the operands of one row of a product, over panels that lie stride values apart.
// Without add and bias the chains start from 0.
type vector struct {
	y, x, w, bias  []float32
	stride, panels int
	near           int // 1 if the weights are in the second-level cache, or else 0
	add            bool
	act            Activation
}

// gemvSpans computes v with at most gemvDepth inputs per call; y carries the chains from one call
// to the next.
func (k Impl) gemvSpans(v *vector) {
	if len(v.x) <= gemvDepth {
		k.gemv(v)
		return
	}
	spans := (len(v.x) + gemvDepth - 1) / gemvDepth
	for s := range spans {
		from, to := share(len(v.x), s, spans)
		part := *v
		part.x, part.w = v.x[from:to], v.w[from*panel:]
		part.add = v.add || from > 0
		if to < len(v.x) {
			part.act = Identity
		}
		k.gemv(&part)
	}
}

func gemvGo(v *vector) {
	start, step := v.start()
	for p := range v.panels {
		y := (*[panel]float32)(v.y[p*panel:])
		chains(y, start[p*step:], v.x, 1, v.w[p*v.stride:], len(v.x), v.act)
	}
}

// start returns the values from which the chains start, and the distance from one panel to
// the next: y, the bias, or the same zeros for every panel.
func (v *vector) start() (values []float32, step int) {
	switch {
	case v.add:
		return v.y, panel
	case v.bias != nil:
		return v.bias, panel
	}
	return zeros[:], 0
}

// zeros is what products without a bias start from, and the state of a row without one. Nobody writes
// to it.
var zeros [block]float32
