package kernels

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// panelsInt8 computes panels first to end-1 of a product of int8.
func (k Impl) panelsInt8(g *product, first, end int) {
	switch {
	case g.y.Rows == 1 && !k.widensInt8():
		k.gemvPanelsInt8(g, first, end, nil)
	case g.y.Rows <= int8WideAlone && k.widensInt8():
		var wide [int8Depth + cacheLine/2]int16
		k.gemvPanelsInt8(g, first, end, aligned(wide[:], cacheLine))
	case k.widensInt8():
		var wide [int8WideTile + cacheLine/2]int16
		k.blocksInt8(g, first, end, aligned(wide[:], cacheLine))
	default:
		k.blocksInt8(g, first, end, nil)
	}
}

// blocksInt8 computes panels first to end-1 in blocks of rows. wide is scratch for an implementation that
// widens, or nil.
func (k Impl) blocksInt8(g *product, first, end int, wide []int16) {
	var acc [int8Rows * maxTilePanels * panel]int32
	blocks := (g.y.Rows + int8Rows - 1) / int8Rows
	for b := range blocks {
		part := g.slice(share(g.y.Rows, b, blocks))
		for p := first; p < end; {
			n := k.tilePanelsInt8()
			if p+n > end {
				n = 1
			}
			k.gemmPanelInt8(&part, acc[:], wide, p, n)
			p += n
		}
	}
}

const (
	int8Rows = 48       // maximum number of rows of x in a tile
	int8Tile = 24 << 10 // weights of a tile, which stay in the first-level cache

	int8Values = 256 << 10 // maximum number of weights in one call of assembly for one row
	int8Depth  = 2 << 10   // maximum number of its inputs
	int8Panels = 32        // maximum number of its panels

	// An implementation that widens copies the operands of a call to scratch as int16: of one row its
	// inputs, of a tile its weights and four rows at a time, with their sums.
	int8WideAlone = 3  // rows up to which each is computed alone
	int8WideQuads = 64 // maximum depth of a tile
	int8WideTile  = 1152 + maxTilePanels*int8WideQuads*quadBytes
)

// gemmPanelInt8 computes n panels, of which p is the first, with acc and wide as scratch.
func (k Impl) gemmPanelInt8(g *product, acc []int32, wide []int16, p, n int) {
	stride, all := int8Stride(g.w.Int8.In), quads(g.w.Int8.In)
	depth := int8TileQuads(n)
	if wide != nil {
		depth = int8WideQuads
	}
	groups := (all + quad - 1) / quad // of 16 inputs, to which rows are padded
	spans := (groups*quad + depth - 1) / depth
	if spans == 0 {
		clear(acc)
	}
	for s := range spans {
		from, to := share(groups, s, spans)
		from, to = from*quad, min(to*quad, all)
		t := tileInt8{
			acc: acc, rows: g.y.Rows, x: g.x.int8.data[from*quad:], xStride: int8RowLen(g.x.int8.Cols),
			w: g.w.Int8.Data[p*stride+from*quadBytes:], stride: stride, quads: to - from, panels: n, wide: wide,
		}
		if s == 0 {
			t.starts = g.x.int8.starts
		}
		k.tileInt8(&t)
	}
	column := p * panel
	cols := min(n*panel, g.y.Cols-column)
	d := dequantization{
		acc: acc, ld: maxTilePanels * panel, y: g.y.Data[column:], stride: g.y.Stride, rows: g.y.Rows, cols: cols,
		rowScales: g.x.int8.scales, scales: g.w.Int8.Scales[column : column+cols], act: g.act,
	}
	k.dequantizePart(g, &d, column)
}

// dequantizePart computes the results of columns from column on.
func (k Impl) dequantizePart(g *product, d *dequantization, column int) {
	switch {
	case g.add:
		d.start, d.startStride = d.y, d.stride
	case g.bias != nil:
		d.start = g.bias[column:]
	default:
		d.start = zeros[:]
	}
	k.dequantize(d)
}

// int8TileQuads returns the maximum depth of a tile of that many panels, in groups of four inputs.
func int8TileQuads(panels int) int { return int8Tile / (panels * quadBytes) }

// gemvPanelsInt8 computes panels first to end-1 row by row, with wide as scratch.
func (k Impl) gemvPanelsInt8(g *product, first, end int, wide []int16) {
	stride, group := int8Stride(g.w.Int8.In), int8PanelCount(g.w.Int8.In)
	var acc [int8Panels * panel]int32
	for p := first; p < end; p += group {
		n := min(group, end-p)
		column := p * panel
		cols := min(n*panel, g.y.Cols-column)
		for i := range g.y.Rows {
			x := g.x.int8.Slice(i, i+1)
			k.gemvSpansInt8(acc[:n*panel], x, g.w.Int8.Data[p*stride:], stride, n, wide)
			d := dequantization{
				acc: acc[:], ld: len(acc), y: g.y.Row(i)[column:], stride: g.y.Stride, rows: 1, cols: cols,
				rowScales: x.scales, scales: g.w.Int8.Scales[column : column+cols], act: g.act,
			}
			k.dequantizePart(g, &d, column)
		}
	}
}

// int8PanelCount returns the number of panels in one call of one row.
func int8PanelCount(in int) int {
	return min(int8Panels, int8Values/quadBytes/max(1, quads(min(in, int8Depth))))
}

// gemvSpansInt8 sets acc to the sums of n panels, with at most int8Depth inputs per call.
func (k Impl) gemvSpansInt8(acc []int32, x RowsInt8, w []int8, stride, n int, wide []int16) {
	const depth = int8Depth / quad
	all := quads(x.Cols)
	if all == 0 {
		clear(acc)
		return
	}
	v := vectorInt8{acc: acc, x: x.data, w: w, stride: stride, quads: min(all, depth), panels: n, start: x.starts[0], wide: wide}
	k.gemvInt8(&v)
	var more [int8Panels * panel]int32
	for from := depth; from < all; from += depth {
		v := vectorInt8{
			acc: more[:], x: x.data[from*quad:], w: w[from*quadBytes:], stride: stride,
			quads: min(all-from, depth), panels: n, wide: wide,
		}
		k.gemvInt8(&v)
		for i := range acc {
			acc[i] += more[i]
		}
	}
}

// weightOffset makes an int8 unsigned.
const weightOffset = 128

// A tileInt8 is sums of products with adjacent panels: for i < rows, p < panels, j < 16,
//
//	acc[i*48+p*16+j] = start + Σ_k x[i*xStride+k]·w[p*stride+(k/4)*64+j*4+k%4],  k < 4·quads
//
// where start is 0, or the old acc if starts is nil. An implementation may instead add
// Σ x·(w+128), whose factors are unsigned, to starts[i] = -128·Σ x, summed over all inputs of the
// row: the sum of all tiles is the same, since integers wrap around.
type tileInt8 struct {
	acc           []int32
	rows          int
	x             []int8
	xStride       int
	w             []int8
	stride        int
	quads, panels int
	starts        []int32
	wide          []int16 // scratch of int8WideTile values, or nil
}

// A vectorInt8 is the sums of one row with adjacent panels, as a tileInt8 whose starts are start and
// whose results are acc[p*16+j].
type vectorInt8 struct {
	acc                   []int32
	x, w                  []int8
	stride, quads, panels int
	start                 int32
	wide                  []int16 // scratch for x, or nil
}

// A dequantization computes, for i < rows and j < cols,
//
//	y[i*stride+j] = act(fma(float32(acc[i*ld+j]), rowScales[i]·scales[j], start[i*startStride+j]))
//
// start may be y.
type dequantization struct {
	acc         []int32
	ld          int
	y           []float32
	stride      int
	rows, cols  int
	rowScales   []float32
	scales      []float32
	start       []float32
	startStride int
	act         Activation
}

func tileInt8Go(t *tileInt8) {
	for i := range t.rows {
		for p := range t.panels {
			acc := (*[panel]int32)(t.acc[i*maxTilePanels*panel+p*panel:])
			if t.starts != nil {
				for j := range acc {
					acc[j] = t.starts[i]
				}
			}
			quadSums(acc, t.x[i*t.xStride:], t.w[p*t.stride:], t.quads)
		}
	}
}

func gemvInt8Go(v *vectorInt8) {
	for p := range v.panels {
		acc := (*[panel]int32)(v.acc[p*panel:])
		for j := range acc {
			acc[j] = v.start
		}
		quadSums(acc, v.x, v.w[p*v.stride:], v.quads)
	}
}

// quadSums adds Σ_k x[k]·(w[(k/4)*64+j*4+k%4]+128) to acc[j] for j < 16, k < 4·depth.
//
// The 8 bytes of two outputs are one word, and w+128 is unsigned. A mask leaves one input of both
// outputs, 32 bits apart; their products with x are independent but for a borrow. Sums of up to
// int8Depth inputs fit 32 bits, so the low half of a sum belongs to one output, and the rest to
// the other.
func quadSums(acc *[panel]int32, x, w []int8, depth int) {
	const (
		pairs = 4 // words whose sums are in registers
		mask  = 0x000000ff000000ff
		flip  = 0x8080808080808080
	)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(w))
	for first := 0; first < panel; first += 2 * pairs {
		var s0, s1, s2, s3 uint64
		for k := range depth {
			b := (*[8 * pairs]byte)(bytes[k*quadBytes+first*quad:])
			v := (*[quad]int8)(x[k*quad:])
			x0, x1, x2, x3 := uint64(v[0]), uint64(v[1]), uint64(v[2]), uint64(v[3])
			u := binary.LittleEndian.Uint64(b[0:]) ^ flip
			s0 += u&mask*x0 + u>>8&mask*x1 + u>>16&mask*x2 + u>>24&mask*x3
			u = binary.LittleEndian.Uint64(b[8:]) ^ flip
			s1 += u&mask*x0 + u>>8&mask*x1 + u>>16&mask*x2 + u>>24&mask*x3
			u = binary.LittleEndian.Uint64(b[16:]) ^ flip
			s2 += u&mask*x0 + u>>8&mask*x1 + u>>16&mask*x2 + u>>24&mask*x3
			u = binary.LittleEndian.Uint64(b[24:]) ^ flip
			s3 += u&mask*x0 + u>>8&mask*x1 + u>>16&mask*x2 + u>>24&mask*x3
		}
		for i, s := range [pairs]uint64{s0, s1, s2, s3} {
			low := int32(s)
			acc[first+2*i] += low
			acc[first+2*i+1] += int32((s - uint64(low)) >> 32)
		}
	}
}

// The sums of quadSums fit int32, or this constant would be negative.
const _ uint = math.MaxInt32 - 255*128*int8Depth

func dequantizeGo(d *dequantization) {
	for i := range d.rows {
		y, acc, start := d.y[i*d.stride:][:d.cols], d.acc[i*d.ld:], d.start[i*d.startStride:]
		for j, scale := range d.scales {
			y[j] = fma(float32(acc[j]), d.rowScales[i]*scale, start[j])
		}
		activateGo(y, d.act)
	}
}
