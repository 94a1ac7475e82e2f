package kernels

import "github.com/softsearch-go/softsearch/asm"

const (
	badProduct    = "kernels: shapes of y, w, x and bias of a product do not agree"
	badActivation = "kernels: unknown activation"
)

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

// GemvInt32 computes y[n] = Σ_k xq[k]·wq[n][k], the integers of the one row of x with those of w,
// without their scales. It panics if the lengths do not agree or x has not one row.
func (k Impl) GemvInt32(y []int32, w PackedInt8, x RowsInt8) {
	shape := Matrix{Rows: 1, Cols: len(y)}
	k.multiply(&product{y: shape, w: Weights{Int8: w}, x: inputs{int8: x}, sums: y})
}

func row(x []float32) Matrix { return Matrix{1, len(x), len(x), x} }

// A product is y = act(x·Wᵀ + bias), or act(y + x·Wᵀ) if add is set, of weights and inputs of one
// precision. A product of int8 may have sums instead, without scales; then y has no data.
type product struct {
	y    Matrix
	w    Weights
	x    inputs
	bias []float32
	act  Activation
	add  bool
	sums []int32
}

// inputs are the rows of x in the precision of the weights.
type inputs struct {
	float32 Matrix
	int8    RowsInt8
	bf16    RowsBF16
}

// How many multiplications of int8 take as long as one of float32, and of bfloat16, at most.
const (
	int8Speed = 4
	bf16Speed = 2
)

// multiply computes a product, divided by rows if each thread has enough of them, and by panels otherwise: a
// thread reads all the weights for its rows, and a few panels do not make wide tiles. It panics if the
// shapes do not agree or the activation is unknown.
func (k Impl) multiply(g *product) {
	var out, in, rows, cols, speed int
	switch w, x := &g.w, &g.x; {
	case w.isInt8() || x.int8.Rows > 0: // also without weights
		w.Int8.check()
		x.int8.check()
		out, in, rows, cols, speed = w.Int8.Out, w.Int8.In, x.int8.Rows, x.int8.Cols, int8Speed
	case w.isBF16() || x.bf16.Rows > 0:
		w.BF16.check()
		x.bf16.check()
		out, in, rows, cols, speed = w.BF16.Out, w.BF16.In, x.bf16.Rows, x.bf16.Cols, bf16Speed
	default:
		w.Float32.check()
		if !x.float32.valid() {
			panic(badProduct)
		}
		out, in, rows, cols, speed = w.Float32.Out, w.Float32.In, x.float32.Rows, x.float32.Cols, 1
	}
	if g.y.Rows != rows || g.y.Cols != out || cols != in || g.sums == nil && !g.y.valid() || g.bias != nil && len(g.bias) != out {
		panic(badProduct)
	}
	if g.act < Identity || g.act > ReLU {
		panic(badActivation)
	}
	t, n, size := k.team, panels(out), 0
	if t != nil {
		size = max(rows, CostMove) * out * in / speed // with few rows, reading the weights takes the time
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
