package kernels

const (
	badGrad        = "kernels: GemmGrad: shapes of dw, dy and x do not agree"
	badGradScratch = "kernels: GemmGrad: scratch shorter than GradScratch(in)"
	badSumRows     = "kernels: SumRows: len(dst) != src.Cols"
)

// gradRows is the number of rows whose outer products are summed in registers at a time.
const gradRows = 256

// GradScratch returns the number of scratch values that GemmGrad needs for a packed matrix
// of in columns.
func GradScratch(in int) int {
	return gradRows * panel * panels(in)
}

// GemmGrad adds the gradient of y = x·Wᵀ with respect to W, rows in ascending order:
//
//	dw[n][k] = fma(dy[M-1][n], x[M-1][k], … fma(dy[0][n], x[0][k], dw[n][k]))
//
// dy is M×Out, x is M×In. It panics if the shapes do not agree or scratch is shorter than
// GradScratch(In).
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

func (k Impl) gradBlock(dw Packed, dy, x Matrix, scratch []float32) {
	t, in, out := k.team, panels(x.Cols), panels(dw.Out)
	if !t.divides(x.Rows*dw.Out*dw.In, out) {
		k.gatherAll(scratch, x, 0, in)
		k.gradPanels(dw, dy, scratch, 0, out)
		return
	}
	t.gathering = gathering{scratch, x}
	k.Divide(&t.gathering, in, CostMove*x.Rows*x.Cols)
	t.gradient = gradient{dw, dy, scratch}
	t.do(k, &t.gradient, out)
}

// A gathering is the operands of gatherAll.
type gathering struct {
	dst []float32
	x   Matrix
}

func (g *gathering) Run(k Impl, from, to int) { k.gatherAll(g.dst, g.x, from, to) }

// gatherAll copies panels first to end-1 of the columns of x.
func (k Impl) gatherAll(dst []float32, x Matrix, first, end int) {
	for q := first; q < end; q += maxTilePanels {
		k.gatherPanels(dst[q*x.Rows*panel:], x, q*panel, min(maxTilePanels, end-q))
	}
}

// A gradient is the operands of gradPanels.
type gradient struct {
	dw Packed
	dy Matrix
	xs []float32
}

func (g *gradient) Run(k Impl, from, to int) { k.gradPanels(g.dw, g.dy, g.xs, from, to) }

// gradPanels adds the outer products to panels first to end-1, xs being the gathered x.
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
				// Tiles have few rows, so that the panels take turns; each is asked for well
				// ahead, 16 values for each row of dy.
				t.ahead = dw.Data[min(len(dw.Data), (p+i+q%width)*stride+(q+1)*panel*panel):]
				k.tile(&t)
			}
		}
	}
}

// gatherPanels copies n panels of columns of m from col on, zeros beyond the last column:
// panel after panel, one row after another.
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

// SumRows adds the rows of src to dst in ascending order: the gradient of a bias.
// It panics if len(dst) != src.Cols.
func (k Impl) SumRows(dst []float32, src Matrix) {
	if !src.valid() || len(dst) != src.Cols {
		panic(badSumRows)
	}
	t, n := k.team, panels(src.Cols)
	if !t.divides(CostMove*src.Rows*src.Cols, n) {
		k.sumRows(dst, src)
		return
	}
	t.sum = rowSum{dst, src}
	t.do(k, &t.sum, n)
}

// A rowSum is the operands of SumRows, whose panels of columns are divided.
type rowSum struct {
	dst []float32
	src Matrix
}

func (s *rowSum) Run(k Impl, from, to int) {
	from, to = from*panel, min(to*panel, s.src.Cols)
	k.sumRows(s.dst[from:to], s.src.Columns(from, to))
}

func (k Impl) sumRows(dst []float32, src Matrix) {
	for i := 0; i < src.Rows; i += attentionRows {
		part := src.Slice(i, min(i+attentionRows, src.Rows))
		k.addWeighted(dst, ones[:part.Rows], part)
	}
}

var ones = func() (one [attentionRows]float32) {
	for i := range one {
		one[i] = 1
	}
	return one
}()
