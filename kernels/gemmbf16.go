package kernels

import (
	"math"
	"unsafe"
)

const badGemmBF16 = "kernels: GemmBF16: shapes of y, w, x and bias do not agree"

// GemmBF16 computes y = act(x·Wᵀ + bias) for every row of x, in float32 from factors in bfloat16:
//
//	y[m][n] = act((… ((+0 + S₀) + S₁) … + S_last) + bias[n])
//	S_b = even + odd
//	even = fma(x[m][32b+30], w[n][32b+30], … fma(x[m][32b+2], w[n][32b+2], fma(x[m][32b], w[n][32b], +0)))
//	odd = fma(x[m][32b+31], w[n][32b+31], … fma(x[m][32b+3], w[n][32b+3], fma(x[m][32b+1], w[n][32b+1], +0)))
//
// Every sum and fma is rounded once, to the nearest float32, ties to even. In the last block, the chains
// end with the last input; zeros that pad both factors give the same bits, since no chain can be -0. A
// product of two bfloat16 values is exact in float32 unless it overflows, and an fma only overflows if
// its result does. Infinities and NaN follow IEEE 754.
//
// w is Out×In, x is M×In, y is M×Out, bias has Out values or is nil, which means zeros. y must not
// overlap the others. It panics if the shapes do not agree or act is unknown.
func (k Impl) GemmBF16(y Matrix, w PackedBF16, x RowsBF16, bias []float32, act Activation) {
	w.check()
	x.check()
	if !y.hasShape(x.Rows, w.Out) || x.Cols != w.In || (bias != nil && len(bias) != w.Out) {
		panic(badGemmBF16)
	}
	k.gemmBF16(y, w, x, bias, act, false)
}

// GemmAddBF16 computes y = act(y + x·Wᵀ), the sum of GemmBF16 starting from y[m][n] in place of +0,
// without a bias.
func (k Impl) GemmAddBF16(y Matrix, w PackedBF16, x RowsBF16, act Activation) {
	w.check()
	x.check()
	if !y.hasShape(x.Rows, w.Out) || x.Cols != w.In {
		panic(badGemmBF16)
	}
	k.gemmBF16(y, w, x, nil, act, true)
}

// A productBF16 is the operands of GemmBF16 and GemmAddBF16.
type productBF16 struct {
	y    Matrix
	w    PackedBF16
	x    RowsBF16
	bias []float32
	act  Activation
	add  bool
}

// gemmBF16 divides a product as gemm does, by rows or by panels.
func (k Impl) gemmBF16(y Matrix, w PackedBF16, x RowsBF16, bias []float32, act Activation, add bool) {
	if act < Identity || act > ReLU {
		panic(badActivation)
	}
	g := productBF16{y, w, x, bias, act, add}
	t, n := k.team, panels(w.Out)
	size := max(y.Rows, CostMove) * w.Out * w.In / bf16Speed
	switch {
	case t.divides(size, y.Rows/gemmShare):
		divide(k, rowTaskBF16{g}, y.Rows)
	case t.divides(size, n):
		divide(k, panelTaskBF16{g}, n)
	default:
		k.panelsBF16(&g, 0, n)
	}
}

// bf16Speed is how many multiplications of bfloat16 take as long as one of float32, at most.
const bf16Speed = 2

// A rowTaskBF16 divides the rows of a product.
type rowTaskBF16 struct{ productBF16 }

func (g *rowTaskBF16) Run(k Impl, from, to int) {
	part := g.productBF16
	part.y, part.x = g.y.Slice(from, to), g.x.Slice(from, to)
	k.panelsBF16(&part, 0, panels(g.w.Out))
}

// A panelTaskBF16 divides the panels of a product.
type panelTaskBF16 struct{ productBF16 }

func (g *panelTaskBF16) Run(k Impl, from, to int) { k.panelsBF16(&g.productBF16, from, to) }

const (
	bf16Rows   = 96        // maximum number of rows of x in a tile
	bf16Values = 256 << 10 // values of x that stay in the second-level cache
	bf16Tile   = 6 << 10   // weights of a tile, which stay in the first-level cache
	bf16Wide   = 16 << 10  // values of x that are widened at a time
)

// panelsBF16 computes panels first to end-1.
func (k Impl) panelsBF16(g *productBF16, first, end int) {
	if k.amxPanels(g, first, end) {
		return
	}
	if !k.widensBF16() {
		k.spansBF16(g, nil, first, end)
		return
	}
	var wide [bf16Wide + cacheLine/4]float32
	k.spansBF16(g, aligned(wide[:], cacheLine), first, end)
}

// spansBF16 computes panels first to end-1 in tiles of rows and spans of blocks; y carries the sums from
// one span to the next. wide is scratch for an implementation that widens, or nil.
func (k Impl) spansBF16(g *productBF16, wide []float32, first, end int) {
	parts, most := (g.y.Rows+bf16Rows-1)/bf16Rows, bf16Values
	if wide != nil {
		most = bf16Wide
	}
	blocks := bf16Blocks(g.w.In)
	for r := range parts {
		i, to := share(g.y.Rows, r, parts)
		part := *g
		part.y, part.x = g.y.Slice(i, to), g.x.Slice(i, to)
		depth := max(1, most/bf16Block/max(1, part.x.Rows)) // in blocks
		spans := max(1, (blocks+depth-1)/depth)
		for s := range spans {
			from, to := share(blocks, s, spans)
			x := rowsOfBlocks{data: part.x.data[min(from*bf16Words, len(part.x.data)):], row: bf16RowLen(part.x.Cols), block: bf16Words}
			if wide != nil {
				x = k.widened(wide, x, part.x.Rows, to-from)
			}
			for p := first; p < end; {
				n := k.tilePanelsBF16()
				if p+n > end || p+n > g.w.Out/panel {
					n = 1
				}
				k.gemmPanelBF16(&part, x, p, n, from, to)
				p += n
			}
		}
	}
}

// rowsOfBlocks are rows of x from some block on, as a tile reads them.
type rowsOfBlocks struct {
	data       []uint32
	row, block int // distances in words
}

// widened returns that many rows and blocks of x as float32 in the memory of wide.
func (k Impl) widened(wide []float32, x rowsOfBlocks, rows, blocks int) rowsOfBlocks {
	w := rowsOfBlocks{data: words(wide), row: blocks * bf16Block, block: bf16Block}
	if blocks == 0 {
		return w
	}
	for i := range rows {
		from, to := x.data[i*x.row:][:blocks*bf16Words], w.data[i*w.row:][:w.row]
		readsWords(from)
		k.widenBF16(to, from)
	}
	return w
}

// gemmPanelBF16 adds blocks from ≤ b < to of n panels, of which p is the first. x starts with block from.
func (k Impl) gemmPanelBF16(g *productBF16, x rowsOfBlocks, p, n, from, to int) {
	column, stride := p*panel, bf16Stride(g.w.In)
	cols := min(n*panel, g.w.Out-column)
	t := tileBF16{
		c: g.y.Data[column:], ldc: g.y.Stride, next: panel, rows: g.y.Rows,
		xRow: x.row, xCol: 1, stride: stride, panels: n, wide: x.block == bf16Block,
	}
	depth := bf16TileBlocks(n)
	parts := max(1, (to-from+depth-1)/depth)
	for s := range parts {
		lo, hi := share(to-from, s, parts)
		t.blocks, t.add = hi-lo, g.add || from+lo > 0
		if t.blocks > 0 {
			t.x = x.data[lo*x.block:]
			t.w = g.w.data[p*stride+(from+lo)*bf16Words*panel:]
		}
		if from+hi == bf16Blocks(g.w.In) {
			t.act = g.act
			if g.bias != nil {
				t.bias = g.bias[column : column+cols]
			}
		}
		if cols == n*panel {
			t.announce()
			k.tileBF16(&t)
			continue
		}
		k.edgeBF16(&t, cols)
	}
}

// bf16TileBlocks returns the maximum depth of a tile of that many panels, in blocks.
func bf16TileBlocks(panels int) int { return bf16Tile / (panels * panel * bf16Block) }

// A tileBF16 is a product with adjacent panels: for i < rows, p < panels, j < 16,
//
//	c[i*ldc+p*next+j] = act((C + Σ_b S_b) + bias[p*16+j]),  b < blocks, in the order of GemmBF16
//
// where C is +0, or the old c if add is set, and a bias of nil is not added. Word t of block b is
// x[i*xRow+(16b+t)*xCol] and w[p*stride+(16b+t)*16+j]. If wide is set, x has the bits of float32 instead,
// those of block b in x[i*xRow+(32b+t)*xCol], t < 32: first of the even inputs, then of the odd ones.
type tileBF16 struct {
	c                      []float32
	ldc, next, rows        int
	x                      []uint32
	xRow, xCol             int
	w                      []uint32
	stride, blocks, panels int
	add, wide              bool
	bias                   []float32
	act                    Activation
}

// start returns add and the bias as assembly takes them.
func (t *tileBF16) start() (add int, bias *float32) {
	if t.add {
		add = 1
	}
	return add, unsafe.SliceData(t.bias)
}

// edgeBF16 computes a tile of fewer than 16 columns through a buffer, a few rows at a time.
func (k Impl) edgeBF16(t *tileBF16, cols int) {
	const rows = 12
	var buffer [rows * panel]float32
	var bias [panel]float32
	for i := 0; i < t.rows; i += rows {
		part := *t
		part.rows = min(rows, t.rows-i)
		if t.blocks > 0 {
			part.x = t.x[i*t.xRow:]
		}
		if t.bias != nil {
			copy(bias[:], t.bias)
			part.bias = bias[:]
		}
		part.c, part.ldc = buffer[:], panel
		for r := range part.rows {
			copy(buffer[r*panel:r*panel+cols], t.c[(i+r)*t.ldc:])
		}
		part.announce()
		k.tileBF16(&part)
		for r := range part.rows {
			copy(t.c[(i+r)*t.ldc:][:cols], buffer[r*panel:])
		}
	}
}

func tileBF16Go(t *tileBF16) {
	for i := range t.rows {
		for p := range t.panels {
			c := (*[panel]float32)(t.c[i*t.ldc+p*t.next:])
			if !t.add {
				*c = [panel]float32{}
			}
			for b := range t.blocks {
				addBlock(c, t.x[i*t.xRow+b*bf16Words*t.xCol:], t.xCol, t.w[p*t.stride+b*bf16Words*panel:])
			}
			if t.bias != nil {
				for j, v := range t.bias[p*panel : (p+1)*panel] {
					c[j] += v
				}
			}
			activateGo(c[:], t.act)
		}
	}
}

// addBlock adds the sum of a block to c[j] for j < 16. Words of x lie step apart.
func addBlock(c *[panel]float32, x []uint32, step int, w []uint32) {
	for j := 0; j < panel; j += 4 {
		e0, e1, e2, e3 := fourChains(x, step, w[j:])
		o0, o1, o2, o3 := fourChains(x[step:], step, w[panel+j:])
		for i, s := range [4]float32{e0 + o0, e1 + o1, e2 + o2, e3 + o3} {
			if s-s != 0 { // infinite or NaN: a product may have overflowed that the fma brings back
				s = oneChain(x, step, w[j+i:]) + oneChain(x[step:], step, w[panel+j+i:])
			}
			c[j+i] += s
		}
	}
}

// fourChains returns the sums of four outputs over every second word of a block, from +0, where no product
// overflows.
func fourChains(x []uint32, step int, w []uint32) (s0, s1, s2, s3 float32) {
	for t := 0; t < bf16Words; t += 2 {
		xs, ws := x[t*step], (*[4]uint32)(w[t*panel:])
		x0, x2 := upperHalf(xs), lowerHalf(xs)
		s0 += float32(x0 * upperHalf(ws[0]))
		s1 += float32(x0 * upperHalf(ws[1]))
		s2 += float32(x0 * upperHalf(ws[2]))
		s3 += float32(x0 * upperHalf(ws[3]))
		s0 += float32(x2 * lowerHalf(ws[0]))
		s1 += float32(x2 * lowerHalf(ws[1]))
		s2 += float32(x2 * lowerHalf(ws[2]))
		s3 += float32(x2 * lowerHalf(ws[3]))
	}
	return s0, s1, s2, s3
}

// oneChain returns the sum of one output over every second word of a block, from +0.
func oneChain(x []uint32, step int, w []uint32) (s float32) {
	for t := 0; t < bf16Words; t += 2 {
		s = fmaBF16(upperHalf(x[t*step]), upperHalf(w[t*panel]), s)
		s = fmaBF16(lowerHalf(x[t*step]), lowerHalf(w[t*panel]), s)
	}
	return s
}

// fmaBF16 returns fma(x, w, s) of bfloat16 values x and w. Where x·w is not an infinity of float32, it is
// exact. Where it is, its magnitude is 2¹²⁸ or more, and x·w+s in float64 is either exact or so large
// that it rounds to the infinity anyway.
func fmaBF16(x, w, s float32) float32 {
	p := float32(x * w)
	if math.IsInf(float64(p), 0) {
		return float32(float64(float64(x)*float64(w)) + float64(s))
	}
	return p + s
}

func upperHalf(word uint32) float32 { return math.Float32frombits(word &^ 0xffff) }
func lowerHalf(word uint32) float32 { return math.Float32frombits(word << 16) }
