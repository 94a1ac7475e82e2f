package kernels

const (
	badGrad        = "kernels: GemmGrad: shapes of dw, dy and x do not agree"
	badGradScratch = "kernels: GemmGrad: len(scratch) < GradScratch(In)"
	badScratchLen  = "kernels: GradScratch: negative or overflowing size"
)

// GemmGrad adds the gradient of y = x·Wᵀ with respect to W to dw, rows in ascending order:
//
//	dw[n][k] = fma(dy[M-1][n], x[M-1][k], … fma(dy[0][n], x[0][k], dw[n][k]))
//
// dw is Out×In, dy is M×Out, x is M×In. The contents of scratch do not matter. It panics if the
// shapes do not agree or scratch is shorter than GradScratch(In).
//
// The gradient with respect to x is [Impl.Gemm] of dy with the transpose of W (see
// [Impl.Transpose]), and that with respect to a bias is [Impl.SumRows] of dy.
func (k Impl) GemmGrad(dw Packed, dy, x Matrix, scratch []float32) {
	dw.check()
	if !dy.valid() || !x.valid() || dy.Rows != x.Rows || dy.Cols != dw.Out || x.Cols != dw.In {
		panic(badGrad)
	}
	if len(scratch) < GradScratch(dw.In) {
		panic(badGradScratch)
	}
	for i := 0; i < x.Rows; i += gradRows {
		to := min(i+gradRows, x.Rows)
		k.gradBlock(dw, dy.Slice(i, to), x.Slice(i, to), scratch)
	}
}

// GradScratch returns the length of the scratch that GemmGrad needs for weights with in inputs. It
// panics if in is negative or the length in bytes overflows int.
func GradScratch(in int) int {
	if in < 0 || in > maxLen/gradRows-panel {
		panic(badScratchLen)
	}
	return gradRows * panel * panels(in)
}

// gradRows is the number of rows whose outer products are summed in registers at a time.
const gradRows = 256

// gradBlock adds the gradient over at most gradRows rows.
func (k Impl) gradBlock(dw Packed, dy, x Matrix, scratch []float32) {
	in, out := panels(x.Cols), panels(dw.Out)
	if k.team.divides(CostMove*x.Rows*x.Cols, in) {
		divide(k, gatherTask{scratch, x}, in)
	} else {
		k.gatherAll(scratch, x, 0, in)
	}
	if k.team.divides(x.Rows*dw.Out*dw.In, out) {
		divide(k, gradTask{dw, dy, scratch}, out)
	} else {
		k.gradPanels(dw, dy, scratch, 0, out)
	}
}

// A gatherTask divides the panels of columns of x.
type gatherTask struct {
	dst []float32
	x   Matrix
}

func (g *gatherTask) Run(k Impl, from, to int) { k.gatherAll(g.dst, g.x, from, to) }

// gatherAll gathers panels first to end-1 of the columns of x, which assembly then reads as the
// rows of tiles.
func (k Impl) gatherAll(dst []float32, x Matrix, first, end int) {
	for q := first; q < end; q += maxTilePanels {
		k.gatherPanels(dst[q*x.Rows*panel:], x, q*panel, min(maxTilePanels, end-q))
	}
}

// A gradTask divides the panels of dw.
type gradTask struct {
	dw Packed
	dy Matrix
	xs []float32
}

func (g *gradTask) Run(k Impl, from, to int) { k.gradPanels(g.dw, g.dy, g.xs, from, to) }

// gradPanels adds the outer products to panels first to end-1 of dw. xs is the gathered x.
func (k Impl) gradPanels(dw Packed, dy Matrix, xs []float32, first, end int) {
	var buffer [maxTilePanels*gradRows*panel + cacheLine/4]float32
	ys := aligned(buffer[:], cacheLine)
	size, stride := dy.Rows*panel, panelStride(dw.In)
	for p := first; p < end; p += maxTilePanels {
		n := min(maxTilePanels, end-p)
		k.gatherPanels(ys, dy, p*panel, n)
		width := 1
		if n == k.tilePanels() {
			width = n
		}
		for i := 0; i < n; i += width {
			t := tile{
				ldc: panel, next: stride, xRow: 1, xCol: panel,
				w: ys[i*size:], stride: size, depth: dy.Rows, panels: width, step: stride, add: true,
			}
			for q := range panels(dw.In) {
				t.c, t.x, t.rows = dw.Data[(p+i)*stride+q*panel*panel:], xs[q*size:], min(panel, dw.In-q*panel)
				// Tiles have few rows, so one tile has time to prefetch only one of the width
				// panels: 16 values for each row of dy, of the panels in turn.
				t.ahead = dw.Data[min(len(dw.Data), (p+i+q%width)*stride+(q+1)*panel*panel):]
				t.announce()
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
		readsColumns(m, col, n*panel)
		writesPrefix(dst, n*size)
		k.gather(dst, size, m.Data[col:], m.Stride, m.Rows, n)
		return
	}
	for p := range n {
		to, from := dst[p*size:], col+p*panel
		if from+panel <= m.Cols {
			readsColumns(m, from, panel)
			writesPrefix(to, size)
			k.gather(to, size, m.Data[from:], m.Stride, m.Rows, 1)
			continue
		}
		for i := range m.Rows {
			row := to[i*panel : (i+1)*panel]
			writesVector(row)
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
