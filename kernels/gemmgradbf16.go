package kernels

import (
	"math"
)

const (
	badGradBF16        = "kernels: GemmGradBF16: shapes of dw, dy and x do not agree"
	badGradScratchBF16 = "kernels: GemmGradBF16: len(scratch) < GradScratch(In)"
)

// GemmGradBF16 adds the gradient of y = x·Wᵀ with respect to W to dw, in float32 from factors in bfloat16,
// in the order of [Impl.GemmBF16] over rows in place of inputs:
//
//	dw[n][k] = (… ((dw[n][k] + S₀) + S₁) … + S_last)
//
// where S_b is the sum over the even rows of rows 32b to 32b+31 plus that over the odd ones, each a
// chain of fma(dy[m][n], x[m][k], …) from +0. Two calls continue each other's sums if the first has a
// multiple of 32 rows.
//
// dw is Out×In, dy is M×Out, x is M×In. The contents of scratch do not matter. It panics if the shapes
// do not agree or scratch is shorter than GradScratch(In).
//
// The gradient with respect to x is GemmBF16 of dy with the transpose of W, rounded after
// [Impl.Transpose].
func (k Impl) GemmGradBF16(dw Packed, dy, x RowsBF16, scratch []float32) {
	dw.check()
	dy.check()
	x.check()
	if dy.Rows != x.Rows || dy.Cols != dw.Out || x.Cols != dw.In {
		panic(badGradBF16)
	}
	if len(scratch) < GradScratch(dw.In) {
		panic(badGradScratchBF16)
	}
	for i := 0; i < x.Rows; i += gradRows {
		to := min(i+gradRows, x.Rows)
		k.gradBlockBF16(dw, dy.Slice(i, to), x.Slice(i, to), words(scratch))
	}
}

// A part of gradRows rows ends with a block, or this constant would be negative.
const _ uint = -(gradRows % bf16Block)

// gradBlockBF16 adds the gradient over at most gradRows rows.
func (k Impl) gradBlockBF16(dw Packed, dy, x RowsBF16, scratch []uint32) {
	in, out := panels(x.Cols), panels(dw.Out)
	if k.team.divides(CostMove*x.Rows*x.Cols, in) {
		divide(k, gatherTaskBF16{scratch, x}, in)
	} else {
		k.gatherFactorBF16(scratch, x, 0, in)
	}
	if k.team.divides(x.Rows*dw.Out*dw.In/bf16Speed, out) {
		divide(k, gradTaskBF16{dw, dy, scratch}, out)
	} else {
		k.gradPanelsBF16(dw, dy, scratch, 0, out)
	}
}

// A gatherTaskBF16 divides the panels of columns of x.
type gatherTaskBF16 struct {
	dst []uint32
	x   RowsBF16
}

func (g *gatherTaskBF16) Run(k Impl, from, to int) { k.gatherFactorBF16(g.dst, g.x, from, to) }

// gatheredBF16 returns the number of words of a gathered panel of columns, and widenedBF16 that of one whose
// values are widened.
func gatheredBF16(rows int) int { return bf16Blocks(rows) * bf16Words * panel }
func widenedBF16(rows int) int  { return bf16Blocks(rows) * bf16Block * panel }

// gatherFactorBF16 gathers panels first to end-1 of the columns of x in the order that gradPanelsBF16 reads.
func (k Impl) gatherFactorBF16(dst []uint32, x RowsBF16, first, end int) {
	if k.widensBF16() {
		k.gatherWidePanels(dst[first*widenedBF16(x.Rows):], x, first, end)
		return
	}
	dst = dst[first*gatheredBF16(x.Rows) : end*gatheredBF16(x.Rows)]
	k.gatherPanelsBF16(dst, x, first, end)
	k.amxColumns(dst)
}

// gatherWidePanels gathers panels first to end-1 of the columns of x, one after the other, as float32: of each
// block of rows first the even ones, then the odd ones.
func (k Impl) gatherWidePanels(dst []uint32, x RowsBF16, first, end int) {
	n, size := bf16RowLen(x.Cols), widenedBF16(x.Rows)
	for p := first; p < end; p++ {
		to := dst[:size]
		dst = dst[size:]
		writesWords(to)
		readsRowsBF16(x, p)
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

// gatherPanelsBF16 gathers panels first to end-1 of the columns of x, one after the other: each is that of a
// PackedBF16 with the rows of x for inputs, and its columns for outputs.
func (k Impl) gatherPanelsBF16(dst []uint32, x RowsBF16, first, end int) {
	n, size := bf16RowLen(x.Cols), gatheredBF16(x.Rows)
	whole := x.Rows / 4
	for p := first; p < end; p++ {
		to, from := dst[:size], p*panel/2
		writesWords(to)
		if whole > 0 {
			readsRowsBF16(x, p)
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

// A gradTaskBF16 divides the panels of dw.
type gradTaskBF16 struct {
	dw Packed
	dy RowsBF16
	xs []uint32
}

func (g *gradTaskBF16) Run(k Impl, from, to int) { k.gradPanelsBF16(g.dw, g.dy, g.xs, from, to) }

// gradPanelsBF16 adds to panels first to end-1 of dw. xs is the x of gatherFactorBF16.
func (k Impl) gradPanelsBF16(dw Packed, dy RowsBF16, xs []uint32, first, end int) {
	if k.amxGradPanels(dw, dy, xs, first, end) {
		return
	}
	const most = maxTilePanels * gradRows / 2 * panel
	var buffer [most + cacheLine/4]uint32
	ys := aligned(buffer[:], cacheLine)[:most]
	size, stride := gatheredBF16(dy.Rows), panelStride(dw.In)
	xSize, wide := size, k.widensBF16()
	if wide {
		xSize = widenedBF16(dy.Rows)
	}
	for p := first; p < end; {
		n := k.tilePanelsBF16()
		if p+n > end {
			n = 1
		}
		k.gatherPanelsBF16(ys, dy, p, p+n)
		t := tileBF16{
			ldc: panel, next: stride, xRow: 1, xCol: panel,
			w: ys, stride: size, blocks: bf16Blocks(dy.Rows), panels: n, add: true, wide: wide,
		}
		for q := range panels(dw.In) {
			t.c, t.x, t.rows = dw.Data[p*stride+q*panel*panel:], xs[q*xSize:], min(panel, dw.In-q*panel)
			t.announce()
			k.tileBF16(&t)
		}
		p += n
	}
}
