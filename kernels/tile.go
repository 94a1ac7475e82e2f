package kernels

import (
	"math"
	"unsafe"
)

const (
	gemmRows   = 96        // maximum number of rows of x in a tile
	gemmValues = 128 << 10 // values of x that stay in the second-level cache
	gemmTile   = 6 << 10   // weights of a tile, which stay in the first-level cache
	bf16Values = 256 << 10 // values of x of bfloat16 that stay in the second-level cache
	bf16Wide   = 16 << 10  // values of x of bfloat16 that are widened at a time
)

// A pass of AVX-512 over the weights of a tile, for tilePassRows rows, prefetches later weights of one
// panel. Tiles with fewer passes than panels have kernels whose passes prefetch for every panel, into the
// second-level cache. The passes of fewer than fewRows rows are too short for that.
const (
	tilePassRows = 8
	fewRows      = 4
)

// prefetchesAll reports whether each pass over a tile of that many rows prefetches for every panel.
func prefetchesAll(rows int) bool { return fewRows <= rows && rows <= (maxTilePanels-1)*tilePassRows }

// A factor is x or w of a product of float32 or bfloat16, as tiles read it: rows or panels, stride words
// apart, of terms, term words apart. A term is an input of float32 or a block of bfloat16.
type factor struct {
	data         []uint32
	stride, term int
}

// factors returns x and w, and the number of their terms.
func (g *product) factors() (x, w factor, terms int) {
	if g.w.isBF16() {
		return factor{g.x.bf16.data, bf16RowLen(g.x.bf16.Cols), bf16Words},
			factor{g.w.BF16.data, bf16Stride(g.w.BF16.In), bf16Words * panel}, bf16Blocks(g.w.BF16.In)
	}
	return factor{words(g.x.float32.Data), g.x.float32.Stride, 1},
		factor{words(g.w.Float32.Data), panelStride(g.w.Float32.In), panel}, g.w.Float32.In
}

// panelsBF16 computes panels first to end-1 of a product of bfloat16.
func (k Impl) panelsBF16(g *product, first, end int) {
	if !k.widensBF16() {
		k.tiles(g, nil, first, end)
		return
	}
	var wide [bf16Wide + cacheLine/4]float32
	k.tiles(g, aligned(wide[:], cacheLine), first, end)
}

// tiles computes panels first to end-1 in blocks of rows and spans of terms; y carries the sums from
// one span to the next. wide is scratch for inputs of bfloat16 that are to be widened, or nil.
func (k Impl) tiles(g *product, wide []float32, first, end int) {
	parts := (g.y.Rows + gemmRows - 1) / gemmRows
	for r := range parts {
		part := g.slice(share(g.y.Rows, r, parts))
		x, w, terms := part.factors()
		spans := part.spans(terms, wide)
		for s := range spans {
			from, to := share(terms, s, spans)
			x := x
			x.data = x.data[min(from*x.term, len(x.data)):]
			if wide != nil {
				x = k.widened(wide, x, part.y.Rows, to-from)
			}
			for p := first; p < end; {
				n := k.tilePanels()
				if p+n > min(end, g.y.Cols/panel) {
					n = 1
				}
				k.panelTiles(&part, x, w, p, n, from, to)
				p += n
			}
		}
	}
}

// spans returns the number of spans of terms whose inputs stay in the second-level cache, or in wide.
func (g *product) spans(terms int, wide []float32) int {
	if !g.w.isBF16() {
		return max(1, (terms*g.y.Rows+gemmValues-1)/gemmValues)
	}
	most := bf16Values
	if wide != nil {
		most = bf16Wide
	}
	depth := max(1, most/bf16Block/max(1, g.y.Rows))
	return max(1, (terms+depth-1)/depth)
}

// widened returns that many rows and blocks of x as float32 in the memory of wide.
func (k Impl) widened(wide []float32, x factor, rows, blocks int) factor {
	w := factor{words(wide), blocks * bf16Block, bf16Block}
	if blocks == 0 {
		return w
	}
	for i := range rows {
		from, to := x.data[i*x.stride:][:blocks*bf16Words], w.data[i*w.stride:][:w.stride]
		k.widenBF16(to, from)
	}
	return w
}

// panelTiles adds terms from to to-1 of n panels, of which p is the first. x starts with term from.
func (k Impl) panelTiles(g *product, x, w factor, p, n, from, to int) {
	column, bf16, terms := p*panel, g.w.isBF16(), g.w.Float32.In
	depth := tileDepth(n)
	if bf16 {
		depth, terms = depth/bf16Block, bf16Blocks(g.w.BF16.In)
	}
	cols := min(n*panel, g.y.Cols-column)
	t := tile{
		c: g.y.Data[column:], ldc: g.y.Stride, next: panel, rows: g.y.Rows,
		xRow: x.stride, xCol: 1, stride: w.stride, panels: n, step: w.stride,
		prefetchAll: prefetchesAll(g.y.Rows), bf16: bf16, wide: bf16 && x.term == bf16Block,
	}
	parts := max(1, (to-from+depth-1)/depth)
	for s := range parts {
		lo, hi := share(to-from, s, parts)
		t.depth, t.add = hi-lo, g.add || from+lo > 0
		if t.depth > 0 {
			t.x = x.data[lo*x.term:]
			t.w = w.data[p*w.stride+(from+lo)*w.term:]
			t.ahead = t.w[min(len(t.w), t.depth*w.term):]
			if hi == to-from {
				t.ahead = w.data[min(len(w.data), (p+n)*w.stride+from*w.term):]
			}
		}
		last := from+hi == terms
		if last {
			t.act = g.act
		}
		if t.bias = nil; g.bias != nil && (!bf16 && !t.add || bf16 && last) {
			t.bias = g.bias[column : column+cols]
		}
		if cols == n*panel {
			k.tile(&t)
		} else {
			k.edge(&t, cols)
		}
	}
}

// tileDepth returns the maximum depth of a tile of that many panels, in inputs.
func tileDepth(panels int) int { return gemmTile / (panels * panel) }

// maxTilePanels bounds the panels of a tile.
const maxTilePanels = 3

// A tile is a product with adjacent panels: for i < rows, p < panels, j < 16, of float32
//
//	c[i*ldc+p*next+j] = act(start + Σ_k x[i*xRow+k*xCol] · w[p*stride+k*16+j]),  k < depth
//
// where start is the old c if add is set, bias[p*16+j], or 0 if bias is nil; and of bfloat16
//
//	c[i*ldc+p*next+j] = act((start + Σ_b S_b) + bias[p*16+j]),  b < depth, in the order of Linear
//
// where start is the old c or 0, and a bias of nil is not added. There word t of block b is
// x[i*xRow+(16b+t)*xCol] and w[p*stride+(16b+t)*16+j]; if wide is set, x has the bits of float32 instead,
// block b in x[i*xRow+(32b+t)*xCol], t < 32: first the even inputs, then the odd ones.
//
// Assembly for float32 prefetches what its caller needs after this tile: ahead, 16 values for each k, and for
// several panels the same at distances step and 2*step, in turn or, if prefetchAll is set, together. What later
// tiles need would push x out of a small second-level cache.
type tile struct {
	c                []float32
	ldc, next, rows  int
	x                []uint32 // the bits of float32, or words of bfloat16
	xRow, xCol       int
	w                []uint32
	stride, depth    int
	panels           int
	ahead            []uint32
	step             int
	bias             []float32
	act              Activation
	prefetchAll, add bool
	bf16, wide       bool
}

func (k Impl) tile(t *tile) {
	if t.bf16 {
		k.tileBF16(t)
	} else {
		k.tileFloat32(t)
	}
}

// start returns the values from which a tile of float32 starts, nil for the old c.
func (t *tile) start() *float32 {
	switch {
	case t.add:
		return nil
	case t.bias == nil:
		return &zeros[0]
	}
	return &t.bias[0]
}

// addAndBias returns add and the bias as assembly for bfloat16 takes them.
func (t *tile) addAndBias() (add int, bias *float32) {
	if t.add {
		add = 1
	}
	return add, unsafe.SliceData(t.bias)
}

// edge computes a tile of fewer than 16 columns through a buffer, a few rows at a time.
func (k Impl) edge(t *tile, cols int) {
	const rows = 12
	var buffer [rows * panel]float32
	var bias [panel]float32
	for i := 0; i < t.rows; i += rows {
		part := *t
		part.rows = min(rows, t.rows-i)
		if t.depth > 0 {
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
		k.tile(&part)
		for r := range part.rows {
			copy(t.c[(i+r)*t.ldc:][:cols], buffer[r*panel:])
		}
	}
}

func tileGo(t *tile) {
	for i := range t.rows {
		for p := range t.panels {
			c := (*[panel]float32)(t.c[i*t.ldc+p*t.next:])
			start := zeros[:panel]
			switch {
			case t.add:
				start = c[:]
			case t.bias != nil:
				start = t.bias[p*panel:]
			}
			var x, w []float32
			if t.depth > 0 {
				x, w = floats(t.x[i*t.xRow:]), floats(t.w[p*t.stride:])
			}
			chains(c, start, x, t.xCol, w, t.depth, t.act)
		}
	}
}

// float returns the address of x[0], the bits of a float32.
func float(x []uint32) *float32 { return (*float32)(unsafe.Pointer(&x[0])) }

func floats(x []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// words returns the memory of x as words.
func words(x []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// chains sets y[j] = act(start[j] + Σ_k x[k*step]·w[k*16+j]) for j < 16, k < depth.
func chains(y *[panel]float32, start, x []float32, step int, w []float32, depth int, act Activation) {
	for j := 0; j < panel; j += chainWidth {
		var acc [chainWidth]f32
		for i := range acc {
			acc[i] = f32(start[j+i])
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

func tileBF16Go(t *tile) {
	for i := range t.rows {
		for p := range t.panels {
			c := (*[panel]float32)(t.c[i*t.ldc+p*t.next:])
			if !t.add {
				*c = [panel]float32{}
			}
			for b := range t.depth {
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
