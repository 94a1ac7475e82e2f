package kernels

import "github.com/softsearch-go/softsearch/asm"

const (
	badGemm       = "kernels: Gemm: shapes of y, w, x and bias do not agree"
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

func checkGemm(y Matrix, w Packed, x Matrix) {
	w.check()
	if !y.valid() || !x.valid() || y.Rows != x.Rows || y.Cols != w.Out || x.Cols != w.In {
		panic(badGemm)
	}
}

const (
	gemmRows   = 96        // maximum number of rows of x in a tile
	gemmValues = 128 << 10 // values of x that stay in the second-level cache
	gemmTile   = 6 << 10   // weights of a tile, which stay in the first-level cache
	gemmShare  = 32        // minimum number of rows per thread to divide by rows
)

// Each pass of AVX-512 over the weights of a tile, for tilePassRows rows, prefetches later weights of one
// panel. Where that makes fewer passes than panels, every pass prefetches for all panels, and leaves the
// first-level cache to the processor. The passes of fewer than fewRows rows are too short for that.
const (
	tilePassRows = 8
	fewRows      = 4
)

// isFew reports whether each pass over the weights of a tile of that many rows prefetches for all panels.
func isFew(rows int) bool { return fewRows <= rows && rows <= (maxTilePanels-1)*tilePassRows }

// A product is the operands of Gemm, GemmAdd, Gemv and GemvAdd.
type product struct {
	y    Matrix
	w    Packed
	x    Matrix
	bias []float32
	act  Activation
	add  bool
}

// gemm divides a product by rows if each thread has enough of them, and by panels otherwise: a
// thread reads all the weights for its rows, and a few panels do not make wide tiles.
func (k Impl) gemm(y Matrix, w Packed, x Matrix, bias []float32, act Activation, add bool) {
	if act < Identity || act > ReLU {
		panic(badActivation)
	}
	g := product{y, w, x, bias, act, add}
	t, n := k.team, panels(w.Out)
	size := max(y.Rows, CostMove) * w.Out * w.In // with few rows, reading the weights takes the time
	switch {
	case t.divides(size, y.Rows/gemmShare):
		divide(k, rowTask{g}, y.Rows)
	case t.divides(size, n):
		divide(k, panelTask{g}, n)
	default:
		k.gemmPanels(&g, 0, n)
	}
}

// A rowTask divides the rows of a product.
type rowTask struct{ product }

func (g *rowTask) Run(k Impl, from, to int) {
	part := g.product
	part.y, part.x = g.y.Slice(from, to), g.x.Slice(from, to)
	k.gemmPanels(&part, 0, panels(g.w.Out))
}

// A panelTask divides the panels of a product.
type panelTask struct{ product }

func (g *panelTask) Run(k Impl, from, to int) { k.gemmPanels(&g.product, from, to) }

// gemmPanels computes panels first to end-1 in blocks of rows and spans of k; y carries the chains
// from one span to the next.
func (k Impl) gemmPanels(g *product, first, end int) {
	if g.y.Rows == 1 {
		k.gemvPanels(g, first, end)
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

// tileWidth returns the number of panels in a tile that starts at panel p.
func (k Impl) tileWidth(w Packed, p, end int) int {
	if n := k.tilePanels(); w.In > 0 && p+n <= min(end, w.Out/panel) {
		return n
	}
	return 1
}

// gemmPanel adds the terms from ≤ k < to of n panels, of which p is the first.
func (k Impl) gemmPanel(g *product, p, n, from, to int) {
	column := p * panel
	cols := min(n*panel, g.w.Out-column)
	t := tile{
		c: g.y.Data[column:], ldc: g.y.Stride, next: panel, rows: g.y.Rows,
		xRow: g.x.Stride, xCol: 1, stride: panelStride(g.w.In), panels: n, step: panelStride(g.w.In),
		few: isFew(g.y.Rows),
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
			t.announce()
			k.tile(&t)
			continue
		}
		k.edge(&t, cols)
	}
}

// tileDepth returns the maximum depth of a tile of that many panels.
func tileDepth(panels int) int { return gemmTile / (panels * panel) }

// maxTilePanels bounds the panels of a tile.
const maxTilePanels = 3

// A tile is a product with adjacent panels: for i < rows, p < panels, j < 16,
//
//	c[i*ldc+p*next+j] = act(start + Σ_k x[i*xRow+k*xCol] · w[p*stride+k*16+j]),  k < depth
//
// where start is bias[p*16+j], or the old c if add is set. Assembly prefetches what its caller
// needs after this tile: ahead, 16 values for each k, and the same at distances step and 2*step, in
// turn or, if few is set, together.
type tile struct {
	c               []float32
	ldc, next, rows int
	x               []float32
	xRow, xCol      int
	w               []float32
	stride, depth   int
	panels          int
	ahead           []float32
	step            int
	few             bool
	bias            [maxTilePanels * panel]float32
	add             bool
	act             Activation
}

// edge computes a tile of fewer than 16 columns through a buffer, a few rows at a time.
func (k Impl) edge(t *tile, cols int) {
	const rows = 12
	var buffer [rows * panel]float32
	for i := 0; i < t.rows; i += rows {
		part := *t
		part.rows = min(rows, t.rows-i)
		if t.depth > 0 {
			part.x = t.x[i*t.xRow:]
		}
		part.c, part.ldc = buffer[:], panel
		for r := range part.rows {
			copy(buffer[r*panel:r*panel+cols], t.c[(i+r)*t.ldc:])
		}
		part.announce()
		k.tile(&part)
		for r := range part.rows {
			copy(t.c[(i+r)*t.ldc:][:cols], buffer[r*panel:])
		}
	}
}

// tileGo computes a tile of one panel.
func tileGo(t *tile) {
	for i := range t.rows {
		c := (*[panel]float32)(t.c[i*t.ldc:])
		start := t.bias[:]
		if t.add {
			start = c[:]
		}
		var x []float32
		if t.depth > 0 {
			x = t.x[i*t.xRow:]
		}
		chains(c, start, x, t.xCol, t.w, t.depth, t.act)
	}
}

// chains sets y[j] = act(start[j] + Σ_k x[k*step]·w[k*16+j]) for j < 16, k < depth.
func chains(y *[panel]float32, start, x []float32, step int, w []float32, depth int, act Activation) {
	for j := 0; j < panel; j += chainWidth {
		var acc [chainWidth]held
		for i := range acc {
			acc[i] = held(start[j+i])
		}
		if depth > 0 {
			fmaChains(&acc, x, step, w[j:], depth)
		}
		for i, v := range acc {
			y[j+i] = float32(v)
		}
	}
	activateGo(y[:], act)
}

func activateGo(y []float32, act Activation) {
	switch act {
	case Tanh:
		tanhGo(y, y)
	case Sigmoid:
		sigmoidGo(y, y)
	case ReLU:
		reluGo(y, y)
	}
}
