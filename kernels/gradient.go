package kernels

import "math"

// LinearGrad adds the gradient of y = x·Wᵀ with respect to W to dw, rows in ascending order:
//
//	dw[n][k] = fma(dy[M-1][n], x[M-1][k], … fma(dy[0][n], x[0][k], dw[n][k]))
//
// or, where the scratch has room for bfloat16, from dy and x rounded as in [Impl.Linear], in the order
// of [Impl.Linear] over rows in place of inputs:
//
//	dw[n][k] = (… ((dw[n][k] + S₀) + S₁) … + S_last)
//
// where S_b is the sum over the even rows of rows 32b to 32b+31 plus that over the odd ones, each a
// chain of fma(dy[m][n], x[m][k], …) from +0. Two calls continue each other's sums if the first has a
// multiple of 32 rows.
//
// dw is Out×In, dy is M×Out, x is M×In. It panics if the shapes do not agree or k has no scratch with
// GradScratch(In) values in Grad.
//
// The gradient with respect to x is Linear of dy with the transpose of W (see [Impl.LinearTranspose]), and
// that with respect to a bias is [Impl.SumRows] of dy.
func (k Impl) LinearGrad(dw Packed, dy, x Matrix) {
	s := k.room()
	g := gradient{dw: dw, bf16: s.BF16.data != nil, scratch: words(s.Grad)}
	if g.bf16 {
		g.dy.bf16, g.x.bf16 = k.roundedBF16(s.DYBF16, dy), k.roundedBF16(s.BF16, x)
	} else {
		g.dy.float32, g.x.float32 = dy, x
	}
	k.accumulate(&g)
}

// GradScratch returns the length of the scratch that LinearGrad needs for weights with in inputs. It
// panics if in is negative or the length in bytes overflows int.
func GradScratch(in int) int {
	if in < 0 || in > maxLen/gradRows-panel {
		panic("kernels: GradScratch: negative or overflowing size")
	}
	return gradRows * panel * panels(in)
}

// gradRows is the number of rows whose outer products are summed in registers at a time.
const gradRows = 128

// gradRows rows end with a block, or this constant would be negative.
const _ uint = -(gradRows % bf16Block)

// A gradient is the operands of LinearGrad in float32 or bfloat16. scratch receives the columns of x.
type gradient struct {
	dw      Packed
	dy, x   inputs
	bf16    bool
	scratch []uint32
}

// accumulate adds the gradient to dw. It panics if the shapes do not agree or scratch is too short.
func (k Impl) accumulate(g *gradient) {
	g.dw.check()
	var y, x Matrix // shapes
	if g.bf16 {
		g.dy.bf16.check()
		g.x.bf16.check()
		y.Rows, y.Cols, x.Rows, x.Cols = g.dy.bf16.Rows, g.dy.bf16.Cols, g.x.bf16.Rows, g.x.bf16.Cols
	} else if y, x = g.dy.float32, g.x.float32; !y.readable() || !x.readable() {
		panic("kernels: LinearGrad: dy or x is shorter than its shape")
	}
	switch {
	case y.Rows != x.Rows:
		panic("kernels: LinearGrad: dy and x differ in rows")
	case y.Cols != g.dw.Out:
		panic("kernels: LinearGrad: dy and dw differ in outputs")
	case x.Cols != g.dw.In:
		panic("kernels: LinearGrad: x and dw differ in inputs")
	case len(g.scratch) < GradScratch(g.dw.In):
		panic("kernels: LinearGrad: the scratch's Grad is shorter than GradScratch(In)")
	case g.dw.Out == 0 || g.dw.In == 0:
		return // any number of rows
	}
	for i := 0; i < x.Rows; i += gradRows {
		k.accumulateRows(g, i, min(i+gradRows, x.Rows))
	}
}

// accumulateRows adds the gradient over rows from to to-1, at most gradRows.
func (k Impl) accumulateRows(g *gradient, from, to int) {
	part, shift := *g, uint(0)
	if g.bf16 {
		part.dy.bf16, part.x.bf16, shift = g.dy.bf16.Slice(from, to), g.x.bf16.Slice(from, to), bf16Shift
	} else {
		part.dy.float32, part.x.float32 = g.dy.float32.Slice(from, to), g.x.float32.Slice(from, to)
	}
	rows, in, out := to-from, panels(g.dw.In), panels(g.dw.Out)
	if !divided(k, gatherTask{part}, CostMove*int64(rows*g.dw.In), in) {
		k.gatherInputs(&part, 0, in)
	}
	if !divided(k, gradTask{part}, int64(rows)*int64(g.dw.Out*g.dw.In)>>shift, out) {
		k.gradPanels(&part, 0, out)
	}
}

// A gatherTask divides the panels of columns of x.
type gatherTask struct{ gradient }

func (t *gatherTask) Run(k Impl, from, to int) { k.gatherInputs(&t.gradient, from, to) }

// A gradTask divides the panels of dw.
type gradTask struct{ gradient }

func (t *gradTask) Run(k Impl, from, to int) { k.gradPanels(&t.gradient, from, to) }

// gatherInputs gathers panels first to end-1 of the columns of x, which tiles then read as rows.
func (k Impl) gatherInputs(g *gradient, first, end int) {
	rows := g.x.bf16.Rows
	switch {
	case g.bf16 && k.widensBF16():
		k.gatherWidePanels(g.scratch[first*widenedBF16(rows):], g.x.bf16, first, end)
	case g.bf16:
		k.gatherPanelsBF16(g.scratch[first*gatheredBF16(rows):], g.x.bf16, first, end)
	default:
		x, dst := g.x.float32, floats(g.scratch)
		for q := first; q < end; q += maxTilePanels {
			k.gatherPanels(dst[q*x.Rows*panel:], x, q*panel, min(maxTilePanels, end-q))
		}
	}
}

// gradPanels adds the outer products to panels first to end-1 of dw, after gatherInputs.
func (k Impl) gradPanels(g *gradient, first, end int) {
	var buffer [maxTilePanels*gradRows*panel + cacheLine/4]uint32
	ys := aligned(buffer[:], cacheLine) // gathered columns of dy
	dw, stride := g.dw, panelStride(g.dw.In)
	t := tile{ldc: panel, next: stride, xRow: 1, xCol: panel, step: stride, add: true, bf16: g.bf16}
	xSize := 0
	if rows := g.dy.float32.Rows; g.bf16 {
		rows = g.dy.bf16.Rows
		t.depth, t.stride, t.wide = bf16Blocks(rows), gatheredBF16(rows), k.widensBF16()
		if xSize = t.stride; t.wide {
			xSize = widenedBF16(rows)
		}
	} else {
		t.depth, t.stride, xSize = rows, rows*panel, rows*panel
	}
	for p := first; p < end; p += maxTilePanels {
		n := min(maxTilePanels, end-p)
		if g.bf16 {
			k.gatherPanelsBF16(ys, g.dy.bf16, p, p+n)
		} else {
			k.gatherPanels(floats(ys), g.dy.float32, p*panel, n)
		}
		t.panels = 1
		if n == k.tilePanels() {
			t.panels = n
		}
		for i := 0; i < n; i += t.panels {
			t.w = ys[i*t.stride:]
			for q := range panels(dw.In) {
				t.c, t.x, t.rows = dw.Data[(p+i)*stride+q*panel*panel:], g.scratch[q*xSize:], min(panel, dw.In-q*panel)
				// Tiles have few rows, so one tile has time to prefetch only one of the
				// panels: 16 values for each row of dy, of the panels in turn.
				t.ahead = words(dw.Data[min(len(dw.Data), (p+i+q%t.panels)*stride+(q+1)*panel*panel):])
				k.tile(&t)
			}
		}
	}
}

// gatherPanels copies the n panels of 16 columns that start at column col of m, one panel after the
// other, each row by row. Columns that m does not have are zeros.
func (k Impl) gatherPanels(dst []float32, m Matrix, col, n int) {
	size := m.Rows * panel
	if n == maxTilePanels && col+n*panel <= m.Cols {
		k.gather(dst, size, m.Data[col:], m.Stride, m.Rows, n)
		return
	}
	for p := range n {
		to, from := dst[p*size:], col+p*panel
		if from+panel <= m.Cols {
			k.gather(to, size, m.Data[from:], m.Stride, m.Rows, 1)
			continue
		}
		for i := range m.Rows {
			row := to[i*panel : (i+1)*panel]
			clear(row[copy(row, m.Row(i)[from:]):])
		}
	}
}

// gatherGo sets dst[p*size+i*16+j] = src[i*stride+p*16+j] for p < n, i < rows, j < 16.
func gatherGo(dst []float32, size int, src []float32, stride, rows, n int) {
	for p := range n {
		for i := range rows {
			*(*[panel]float32)(dst[p*size+i*panel:]) = *(*[panel]float32)(src[i*stride+p*panel:])
		}
	}
}

// gatheredBF16 returns the number of words of a gathered panel of columns, widenedBF16 the same with values
// widened.
func gatheredBF16(rows int) int { return bf16Blocks(rows) * bf16Words * panel }
func widenedBF16(rows int) int  { return bf16Blocks(rows) * bf16Block * panel }

// gatherWidePanels gathers panels first to end-1 of the columns of x, one after the other, as float32: of each
// block of rows first the even ones, then the odd ones.
func (k Impl) gatherWidePanels(dst []uint32, x RowsBF16, first, end int) {
	n, size := bf16RowLen(x.Cols), widenedBF16(x.Rows)
	for p := first; p < end; p++ {
		to := dst[:size]
		dst = dst[size:]
		for i := 0; i < x.Rows; i += bf16Block {
			for odd := range 2 { // rows i, i+2, … or i+1, i+3, …
				rows := min(bf16Block+1, x.Rows-i+1-odd) / 2
				if rows > 0 {
					k.gatherWidened(to, x.data[(i+odd)*n+p*panel/2:], 2*n, rows)
				}
				clear(to[rows*panel : bf16Words*panel])
				to = to[bf16Words*panel:]
			}
		}
	}
}

// gatherWidenedGo sets dst[i*16+j], for i < rows and j < 16, to the bits of value j of row i, which is the
// words from src[i*stride] on.
func gatherWidenedGo(dst, src []uint32, stride, rows int) {
	for i := range rows {
		for j := range panel {
			dst[i*panel+j] = math.Float32bits(bf16At(src[i*stride:], j, 1))
		}
	}
}

// gatherPanelsBF16 gathers panels first to end-1 of the columns of x, one after the other, each as in a
// PackedBF16 with the rows of x for inputs, and its columns for outputs.
func (k Impl) gatherPanelsBF16(dst []uint32, x RowsBF16, first, end int) {
	n, size := bf16RowLen(x.Cols), gatheredBF16(x.Rows)
	whole := x.Rows / 4
	for p := first; p < end; p++ {
		to, from := dst[:size], p*panel/2
		if whole > 0 {
			k.gatherBF16(to, x.data[from:], n, whole)
		}
		for t := whole * 2 * panel; t < size; t += panel {
			clear(to[t : t+panel])
		}
		for i := whole * 4; i < x.Rows; i++ {
			word, shift := bf16Word(i)
			for j := range panel {
				to[word*panel+j] |= math.Float32bits(bf16At(x.data[i*n+from:], j, 1)) >> 16 << shift
			}
		}
		dst = dst[size:]
	}
}

// gatherBF16Go sets, for q < quads and j < 16, word dst[q*32+j] to elements (4q, j) and (4q+2, j), and
// dst[q*32+16+j] to elements (4q+1, j) and (4q+3, j), where row i is the words from src[i*stride] on.
func gatherBF16Go(dst, src []uint32, stride, quads int) {
	for q := range quads {
		to := (*[2 * panel]uint32)(dst[q*2*panel:])
		for odd := range 2 {
			upper, lower := src[(4*q+odd)*stride:], src[(4*q+odd+2)*stride:]
			for j := range panel {
				to[odd*panel+j] = math.Float32bits(bf16At(upper, j, 1)) | math.Float32bits(bf16At(lower, j, 1))>>16
			}
		}
	}
}
