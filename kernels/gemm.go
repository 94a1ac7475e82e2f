package kernels

import "github.com/softsearch-go/softsearch/asm"

// An Activation is applied to each result of a product before it is stored.
type Activation int

// The activations.
const (
	Identity Activation = asm.Identity
	Tanh     Activation = asm.ActTanh
	Sigmoid  Activation = asm.ActSigmoid
	ReLU     Activation = asm.ActReLU
	GELU     Activation = asm.ActGELU
)

const (
	badGemm = "kernels: Gemm: shapes of y, w, x and bias do not agree"
	badGemv = "kernels: Gemv: lengths of y, w, x and bias do not agree"

	badActivation = "kernels: unknown activation"
)

const (
	gemmRows   = 96        // rows of x that one tile covers
	gemmValues = 128 << 10 // values of x that stay in the second-level cache
	gemmTile   = 6 << 10   // weights of a tile, which stay in the first-level cache
	gemmShare  = 32        // rows of a thread for which it reads all weights
)

// Gemm computes y = act(x·Wᵀ + bias) for every row of x:
//
//	y[m][n] = act(fma(x[m][K-1], w[n][K-1], … fma(x[m][0], w[n][0], bias[n])))
//
// x is M×In, y M×Out, bias has Out values or is nil, which means zeros. y must not
// overlap x. It panics if the shapes do not agree or there is no such activation.
func (k Impl) Gemm(y Matrix, w Packed, x Matrix, bias []float32, act Activation) {
	checkGemm(y, w, x)
	if bias != nil && len(bias) != w.Out {
		panic(badGemm)
	}
	k.gemm(y, w, x, bias, act, false)
}

// GemmAdd computes y = act(y + x·Wᵀ), the chain of Gemm starting from y[m][n].
func (k Impl) GemmAdd(y Matrix, w Packed, x Matrix, act Activation) {
	checkGemm(y, w, x)
	k.gemm(y, w, x, nil, act, true)
}

// Gemv is Gemm for one row: y = act(W·x + bias), with the same bits.
func (k Impl) Gemv(y []float32, w Packed, x, bias []float32, act Activation) {
	w.check()
	if len(y) != w.Out || len(x) != w.In || (bias != nil && len(bias) != w.Out) {
		panic(badGemv)
	}
	k.gemm(View(y, 1, w.Out), w, View(x, 1, w.In), bias, act, false)
}

// GemvAdd is GemmAdd for one row: y = act(y + W·x), with the same bits.
func (k Impl) GemvAdd(y []float32, w Packed, x []float32, act Activation) {
	w.check()
	if len(y) != w.Out || len(x) != w.In {
		panic(badGemv)
	}
	k.gemm(View(y, 1, w.Out), w, View(x, 1, w.In), nil, act, true)
}

func checkActivation(act Activation) {
	if act < Identity || act > GELU {
		panic(badActivation)
	}
}

func checkGemm(y Matrix, w Packed, x Matrix) {
	w.check()
	if !y.valid() || !x.valid() || y.Rows != x.Rows || y.Cols != w.Out || x.Cols != w.In {
		panic(badGemm)
	}
}

// A product is the operands of gemm.
type product struct {
	y    Matrix
	w    Packed
	x    Matrix
	bias []float32
	act  Activation
	add  bool
}

// gemm divides the rows of the product among the threads if there are enough, and the panels
// otherwise: a few panels do not make whole tiles for every thread.
func (k Impl) gemm(y Matrix, w Packed, x Matrix, bias []float32, act Activation, add bool) {
	checkActivation(act)
	g := product{y, w, x, bias, act, add}
	t, n := k.team, panels(w.Out)
	size := max(y.Rows, CostMove) * w.Out * w.In // few rows take the time of reading the weights
	switch {
	case t.divides(size, y.Rows/gemmShare):
		t.rows = rowProduct{g}
		t.do(k, &t.rows, y.Rows)
	case t.divides(size, n):
		t.panels = panelProduct{g}
		t.do(k, &t.panels, n)
	default:
		k.gemmPanels(&g, 0, n)
	}
}

// A rowProduct is a product whose rows are divided.
type rowProduct struct{ product }

func (g *rowProduct) Run(k Impl, from, to int) {
	part := g.product
	part.y, part.x = g.y.Slice(from, to), g.x.Slice(from, to)
	k.gemmPanels(&part, 0, panels(g.w.Out))
}

// A panelProduct is a product whose panels are divided.
type panelProduct struct{ product }

func (g *panelProduct) Run(k Impl, from, to int) { k.gemmPanels(&g.product, from, to) }

// gemmPanels computes panels first to end-1. It blocks the product over rows and over k; the
// accumulators carry on through y.
func (k Impl) gemmPanels(g *product, first, end int) {
	if g.y.Rows == 1 {
		k.gemvPanels(g.y.Row(0), g.w, g.x.Row(0), g.bias, g.act, g.add, first, end)
		return
	}
	blocks := (g.y.Rows + gemmRows - 1) / gemmRows
	for b := range blocks {
		i, to := share(g.y.Rows, b, blocks)
		part := *g
		part.y, part.x = g.y.Slice(i, to), g.x.Slice(i, to)
		in := g.w.In
		spans := max(1, (in*part.y.Rows+gemmValues-1)/gemmValues)
		for s := range spans {
			from, to := share(in, s, spans)
			for p := first; p < end; {
				n := k.tileWidth(g.w, p, end)
				k.gemmPanel(&part, p, n, from, to)
				p += n
			}
		}
	}
}

// tileWidth returns the number of panels for a tile from panel p on.
func (k Impl) tileWidth(w Packed, p, end int) int {
	if n := k.tilePanels(); w.In > 0 && p+n <= min(end, w.Out/panel) {
		return n
	}
	return 1
}

// tileDepth returns the most k that a tile of so many panels covers.
func tileDepth(panels int) int { return gemmTile / (panels * panel) }

// gemmPanel adds the terms from ≤ k < to of n panels from panel p on.
func (k Impl) gemmPanel(g *product, p, n, from, to int) {
	column := p * panel
	cols := min(n*panel, g.w.Out-column)
	t := tile{
		c: g.y.Data[column:], ldc: g.y.Stride, next: panel, rows: g.y.Rows,
		xRow: g.x.Stride, xCol: 1, stride: panelStride(g.w.In), panels: n, step: panelStride(g.w.In),
	}
	if g.bias != nil {
		copy(t.bias[:], g.bias[column:column+cols])
	}
	depth := tileDepth(n)
	blocks := max(1, (to-from+depth-1)/depth)
	for b := range blocks {
		lo, hi := share(to-from, b, blocks)
		t.depth = hi - lo
		if t.depth > 0 {
			t.x = g.x.Data[from+lo:]
			t.w = g.w.Data[p*t.stride+(from+lo)*panel:]
			t.ahead = t.w[min(len(t.w), t.depth*panel):]
			if hi == to-from {
				t.ahead = g.w.Data[min(len(g.w.Data), (p+n)*t.stride+from*panel):]
			}
		}
		t.add = g.add || from+lo > 0
		if from+hi == g.w.In {
			t.act = g.act
		}
		if cols == n*panel {
			k.tile(&t)
			continue
		}
		k.edge(&t, cols)
	}
}
