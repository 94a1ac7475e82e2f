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
	size := x.Rows * panel
	for q := range panels(x.Cols) {
		gather(scratch[q*size:(q+1)*size], x, q*panel)
	}
	n := panels(dw.Out)
	if k.team.divides(x.Rows*dw.Out*dw.In, n) {
		k.team.do(job{run: gradPart, kernels: k, w: dw, y: dy, vectors: [4][]float32{scratch}})
		return
	}
	k.gradPanels(dw, dy, scratch, 0, n)
}

func gradPart(k Impl, j *job, part, parts int) {
	first, end := share(panels(j.w.Out), part, parts)
	k.gradPanels(j.w, j.y, j.vectors[0], first, end)
}

// gradPanels adds the outer products to panels first to end-1, xs being the gathered x.
func (k Impl) gradPanels(dw Packed, dy Matrix, xs []float32, first, end int) {
	var ys [maxTilePanels * gradRows * panel]float32
	size := dy.Rows * panel
	stride := panelStride(dw.In)
	for p := first; p < end; {
		n := min(k.tilePanels(), end-p)
		if n < k.tilePanels() {
			n = 1
		}
		for i := range n {
			gather(ys[i*size:(i+1)*size], dy, (p+i)*panel)
		}
		for q := range panels(dw.In) {
			t := tile{
				c: dw.Data[p*stride+q*panel*panel:], ldc: panel, next: stride, rows: min(panel, dw.In-q*panel),
				x: xs[q*size:], xRow: 1, xCol: panel,
				w: ys[:], stride: size, depth: dy.Rows, panels: n, add: true,
			}
			k.tile(&t)
		}
		p += n
	}
}

// gather copies columns col to col+15 of m, zeros beyond the last, one row after another.
func gather(dst []float32, m Matrix, col int) {
	if col+panel <= m.Cols {
		for i := range m.Rows {
			row := *(*[panel]float32)(m.Data[i*m.Stride+col:])
			*(*[panel]float32)(dst[i*panel:]) = row
		}
		return
	}
	for i := range m.Rows {
		to := dst[i*panel : (i+1)*panel]
		clear(to[copy(to, m.Row(i)[col:]):])
	}
}

// SumRows adds the rows of src to dst in ascending order: the gradient of a bias.
// It panics if len(dst) != src.Cols.
func (k Impl) SumRows(dst []float32, src Matrix) {
	if !src.valid() || len(dst) != src.Cols {
		panic(badSumRows)
	}
	for i := 0; i < src.Rows && len(dst) > 0; i += gradRows {
		part := src.Slice(i, min(i+gradRows, src.Rows))
		k.weightedSum(dst, ones[:part.Rows], part)
	}
}

var ones = func() (one [gradRows]float32) {
	for i := range one {
		one[i] = 1
	}
	return one
}()
