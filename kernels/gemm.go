package kernels

import "github.com/softsearch-go/softsearch/asm"

// An Activation is applied to each result of a product before it is stored.
type Activation int

// The activations.
const (
	Identity Activation = asm.Identity
	Tanh     Activation = asm.ActTanh
	Sigmoid  Activation = asm.ActSigmoid
)

const (
	badGemm = "kernels: Gemm: shapes of y, w, x and bias do not agree"
	badGemv = "kernels: Gemv: lengths of y, w, x and bias do not agree"

	badActivation = "kernels: unknown activation"
)

const (
	gemmRows   = 96        // rows of x that one tile covers
	gemmValues = 128 << 10 // values of x that stay in the second-level cache
	gemmDepth  = 256       // k that a tile covers
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
	if act < Identity || act > Sigmoid {
		panic(badActivation)
	}
}

func checkGemm(y Matrix, w Packed, x Matrix) {
	w.check()
	if !y.valid() || !x.valid() || y.Rows != x.Rows || y.Cols != w.Out || x.Cols != w.In {
		panic(badGemm)
	}
}

// gemm divides the panels of the product among the threads.
func (k Impl) gemm(y Matrix, w Packed, x Matrix, bias []float32, act Activation, add bool) {
	checkActivation(act)
	n := panels(w.Out)
	if k.team.divides(y.Rows*w.Out*w.In, n) {
		k.team.do(job{run: gemmPart, kernels: k, y: y, w: w, x: x, bias: bias, act: act, add: add})
		return
	}
	k.gemmPanels(y, w, x, bias, act, add, 0, n)
}

func gemmPart(k Impl, j *job, part, parts int) {
	first, end := share(panels(j.w.Out), part, parts)
	k.gemmPanels(j.y, j.w, j.x, j.bias, j.act, j.add, first, end)
}

// gemmPanels computes panels first to end-1. It blocks the product over rows and over k; the
// accumulators carry on through y.
func (k Impl) gemmPanels(y Matrix, w Packed, x Matrix, bias []float32, act Activation, add bool, first, end int) {
	if y.Rows == 1 {
		k.gemvPanels(y.Row(0), w, x.Row(0), bias, act, add, first, end)
		return
	}
	blocks := (y.Rows + gemmRows - 1) / gemmRows
	for b := range blocks {
		i, to := share(y.Rows, b, blocks)
		g := product{y.Slice(i, to), w, x.Slice(i, to), bias, act, add}
		spans := max(1, (w.In*g.y.Rows+gemmValues-1)/gemmValues)
		for s := range spans {
			from, to := share(w.In, s, spans)
			for p := first; p < end; {
				n := k.tileWidth(w, p, end)
				k.gemmPanel(&g, p, n, from, to)
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

// A product is the operands of gemmPanel.
type product struct {
	y    Matrix
	w    Packed
	x    Matrix
	bias []float32
	act  Activation
	add  bool
}

// gemmPanel adds the terms from ≤ k < to of n panels from panel p on.
func (k Impl) gemmPanel(g *product, p, n, from, to int) {
	column := p * panel
	cols := min(n*panel, g.w.Out-column)
	t := tile{
		c: g.y.Data[column:], ldc: g.y.Stride, next: panel, rows: g.y.Rows,
		xRow: g.x.Stride, xCol: 1, stride: panelStride(g.w.In), panels: n,
	}
	if g.bias != nil {
		copy(t.bias[:], g.bias[column:column+cols])
	}
	blocks := max(1, (to-from+gemmDepth-1)/gemmDepth)
	for b := range blocks {
		lo, hi := share(to-from, b, blocks)
		t.depth = hi - lo
		if t.depth > 0 {
			t.x = g.x.Data[from+lo:]
			t.w = g.w.Data[p*t.stride+(from+lo)*panel:]
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
