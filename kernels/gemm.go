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
	gemmRows  = 192 // rows of x that stay in the second-level cache
	gemmDepth = 256 // k that a panel keeps in the first-level cache
	gemvBytes = 256 << 10
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
	if len(y) != w.Out || len(x) != w.In || (bias != nil && len(bias) != w.Out) {
		panic(badGemv)
	}
	k.gemm(View(y, 1, w.Out), w, View(x, 1, w.In), bias, act, false)
}

// GemvAdd is GemmAdd for one row: y = act(y + W·x), with the same bits.
func (k Impl) GemvAdd(y []float32, w Packed, x []float32, act Activation) {
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
	for i := 0; i < y.Rows; i += gemmRows {
		ys, xs := y.Slice(i, min(i+gemmRows, y.Rows)), x.Slice(i, min(i+gemmRows, y.Rows))
		blocks := max(1, (w.In+gemmDepth-1)/gemmDepth)
		for b := range blocks {
			from, to := w.In*b/blocks, w.In*(b+1)/blocks
			a := Identity
			if b == blocks-1 {
				a = act
			}
			block := product{ys, w, xs, bias, a, add || b > 0}
			for p := first; p < end; p++ {
				k.gemmPanel(&block, p, from, to)
			}
		}
	}
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

// gemmPanel adds the terms from ≤ k < to of panel p.
func (k Impl) gemmPanel(g *product, p, from, to int) {
	n := p * panel
	cols := min(panel, g.w.Out-n)
	t := tile{
		c: g.y.Data[n:], ldc: g.y.Stride, rows: g.y.Rows,
		xRow: g.x.Stride, xCol: 1,
		w: g.w.panel(p)[from*panel : to*panel], depth: to - from,
		add: g.add, act: g.act,
	}
	if g.bias != nil && !g.add {
		copy(t.bias[:], g.bias[n:n+cols])
	}
	if t.depth > 0 {
		t.x = g.x.Data[from:]
	}
	if cols == panel {
		k.tile(&t)
		return
	}
	k.edge(&t, cols)
}

// gemvPanels computes panels first to end-1: whole ones several in one call, and the last
// through a buffer if it is not whole.
func (k Impl) gemvPanels(y []float32, w Packed, x, bias []float32, act Activation, add bool, first, end int) {
	stride := panelStride(w.In)
	whole := min(end, w.Out/panel)
	group := max(4, gemvBytes/4/stride&^3)
	for p := first; p < whole; p += group {
		n := min(group, whole-p)
		v := vector{
			y: y[p*panel : (p+n)*panel], x: x, w: w.Data[p*stride:], stride: stride, panels: n,
			add: add, act: act,
		}
		if bias != nil {
			v.bias = bias[p*panel : (p+n)*panel]
		}
		k.gemv(&v)
	}
	if whole < end {
		rest := y[whole*panel:]
		var buffer, start [panel]float32
		copy(buffer[:], rest)
		v := vector{
			y: buffer[:], x: x, w: w.Data[whole*stride:], stride: stride, panels: 1,
			add: add, act: act,
		}
		if bias != nil {
			copy(start[:], bias[whole*panel:])
			v.bias = start[:]
		}
		k.gemv(&v)
		copy(rest, buffer[:])
	}
}
