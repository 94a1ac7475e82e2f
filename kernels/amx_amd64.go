//go:build !purego && !noasm

package kernels

import (
	"math"
	"slices"
	"unsafe"

	"github.com/softsearch-go/softsearch/asm/amxbf16"
	"github.com/softsearch-go/softsearch/asm/avx2"
)

// amx reports whether products of bfloat16 with many rows run on tiles (AMX): Best is AVX-512, the processor has
// them, the operating system lends them, and TDPBF16PS computes the order of sums of Linear. Its manual says
// so, but it has only run under the emulator of the tests: amxAgrees decides.
var amx = best.isa == isaAVX512 && slices.Contains(nativeBF16(), isaAMXBF16) && permitTiles() && amxAgrees()

// usesTiles implies VDPBF16PS: gradients on tiles start from the layout of x that it reads.
func (k Impl) usesTiles() bool { return amx && k.bf16ISA() == isaAVX512BF16 }

// TDPBF16PS takes the pairs of inputs 2t and 2t+1 (even and odd chain), VDPBF16PS those of a bf16Block. A
// product brings its operands from the second order into the first, in parts: rows of x once for all panels,
// and panels once for gemmRows rows. Counted in the throughput that Intel gives for its instructions, a tile of a
// panel takes about as long as a TDPBF16PS, 16 cycles: a fifth of the products of 80 rows with it.
const (
	tileRows   = 16
	tilePanels = 2 // maximum number in a call
	tileWords  = tileRows * bf16Words
	amxDepth   = 8        // blocks brought into order at a time: tiles of 32 rows and 2 panels stay in the first-level cache
	amxRows    = tileRows // fewer rows are left to VDPBF16PS
)

// amxPanels does the work of panelsBF16, or returns false and does nothing.
func (k Impl) amxPanels(g *product, first, end int) bool {
	blocks := bf16Blocks(g.w.BF16.In)
	if !k.usesTiles() || g.y.Rows < amxRows || blocks == 0 {
		return false
	}
	var xBuffer [gemmRows*amxDepth*bf16Words + cacheLine/4]uint32
	var wBuffer [tilePanels*amxDepth*tileWords + cacheLine/4]uint32
	xs, ws := aligned(xBuffer[:], cacheLine), aligned(wBuffer[:], cacheLine)
	for i := 0; i < g.y.Rows; i += gemmRows {
		part := g.slice(i, min(i+gemmRows, g.y.Rows))
		for from := 0; from < blocks; from += amxDepth {
			until := min(from+amxDepth, blocks)
			part.x.bf16.tiles(xs, from, until)
			for p := first; p < end; {
				n := tilePanels
				if p+n > end || p+n > g.y.Cols/panel {
					n = 1
				}
				k.amxPanel(&part, xs, ws, p, n, from, until)
				p += n
			}
		}
	}
	return true
}

// tiles sets dst to blocks from ≤ b < to of x, as GemmTiles reads them.
func (x RowsBF16) tiles(dst []uint32, from, to int) {
	n := bf16RowLen(x.Cols)
	for i := 0; i < x.Rows; i += tileRows {
		amxbf16.TileRows(&dst[i*(to-from)*bf16Words], &x.data[i*n+from*bf16Words], n, min(tileRows, x.Rows-i), to-from)
	}
}

// amxPanel adds blocks from ≤ b < to of n panels, of which p is the first. xs has the tiles of x, ws is scratch.
func (k Impl) amxPanel(g *product, xs, ws []uint32, p, n, from, to int) {
	column, stride, blocks := p*panel, bf16Stride(g.w.BF16.In), to-from
	cols := min(n*panel, g.y.Cols-column)
	t := tile{
		c: g.y.Data[column:], ldc: g.y.Stride, next: panel, rows: g.y.Rows,
		x: g.x.bf16.data[from*bf16Words:], xRow: bf16RowLen(g.x.bf16.Cols), xCol: 1,
		w: g.w.BF16.data[p*stride+from*tileWords:], stride: stride, depth: blocks, panels: n, bf16: true, add: g.add || from > 0,
	}
	for i := range n {
		amxbf16.TilePanel(&ws[i*blocks*tileWords], &t.w[i*stride], blocks)
	}
	if to == bf16Blocks(g.w.BF16.In) {
		t.act = g.act
		if g.bias != nil {
			t.bias = g.bias[column : column+cols]
		}
	}
	if cols == n*panel {
		k.tileAMX(&t, xs, ws, g.add)
		return
	}
	k.edgeAMX(&t, xs, ws, cols, g.add)
}

// edgeAMX computes a tile of fewer than 16 columns through a buffer.
func (k Impl) edgeAMX(t *tile, xs, ws []uint32, cols int, added bool) {
	var buffer [gemmRows * panel]float32
	var bias [panel]float32
	part := *t
	part.c, part.ldc = buffer[:], panel
	if t.bias != nil {
		copy(bias[:], t.bias)
		part.bias = bias[:]
	}
	for i := range t.rows {
		copy(buffer[i*panel:i*panel+cols], t.c[i*t.ldc:])
	}
	k.tileAMX(&part, xs, ws, added)
	for i := range t.rows {
		copy(t.c[i*t.ldc:][:cols], buffer[i*panel:])
	}
}

// tileAMX computes a tile, whose x and w are xs and ws in the order of GemmTiles. TDPBF16PS replaces subnormal
// sums by 0. Sums of blocks are multiples of 2⁻¹²⁶ (see bf16Least), and so are float32 of 2⁻¹⁰³ or more: added
// to those, or to +0, they give no subnormal sum. added tells that c may hold other values.
func (k Impl) tileAMX(t *tile, xs, ws []uint32, added bool) {
	t.announce()
	tiles := *t // *t would make xs and ws escape
	tiles.x, tiles.xRow, tiles.w, tiles.stride = xs, bf16Words, ws, t.depth*tileWords
	for p := 0; added && p < t.panels; p++ {
		if amxbf16.AnyTiny(&t.c[p*t.next], t.ldc, t.rows) != 0 {
			k.addBlocksAMX(&tiles)
			return
		}
	}
	tiles.multiplyAMX()
}

// addBlocksAMX adds the sums of blocks one by one outside the tiles.
func (k Impl) addBlocksAMX(t *tile) {
	var sums [tileRows * tilePanels * panel]float32
	for i := 0; i < t.rows; i += tileRows {
		block := *t
		block.c, block.ldc, block.next, block.rows = sums[:], tilePanels*panel, panel, min(tileRows, t.rows-i)
		block.depth, block.add, block.bias, block.act = 1, false, nil, Identity
		for b := range t.depth {
			block.x, block.w = t.x[i*t.depth*bf16Words+b*tileWords:], t.w[b*tileWords:]
			block.multiplyAMX()
			for r := range block.rows {
				for p := range t.panels {
					k.add(t.c[(i+r)*t.ldc+p*t.next:][:panel], sums[r*block.ldc+p*panel:][:panel])
				}
			}
		}
	}
	rest := *t
	rest.depth = 0
	tileBF16Go(&rest)
}

func (t *tile) multiplyAMX() {
	add, bias := t.addAndBias()
	config := tileConfigurations(t.rows)
	if t.panels > 1 {
		amxbf16.GemmWideTiles(&t.c[0], t.ldc, t.next, t.rows, &t.x[0], &t.w[0], t.stride, t.depth, add, bias, int(t.act), &config[0][0])
		return
	}
	amxbf16.GemmTiles(&t.c[0], t.ldc, t.next, t.rows, &t.x[0], &t.w[0], t.stride, t.depth, add, bias, int(t.act), &config[0][0])
}

// tileConfigurations returns what LDTILECFG loads for 32 rows, and for the last rows%32: tiles 0 and 1 are sums
// of the first 16 rows, 2 and 3 of the others, 4 and 5 are their x, 6 and 7 weights.
func tileConfigurations(rows int) (list [2][64]byte) {
	const palette, rowBytes, heights = 0, 16, 48 // places
	for i := range list {
		c := &list[i]
		c[palette] = 1
		for tile := range 8 {
			c[rowBytes+2*tile], c[heights+tile] = 4*bf16Words, tileRows
		}
	}
	last := &list[1]
	if n := rows % (2 * tileRows); n > tileRows {
		last[heights+2], last[heights+3], last[heights+5] = byte(n-tileRows), byte(n-tileRows), byte(n-tileRows)
	} else if n > 0 {
		last[heights], last[heights+1], last[heights+4] = byte(n), byte(n), byte(n)
	}
	return list
}

// amxColumns brings n gathered panels of columns into the order of x in GemmTiles, for gradients of weights.
func (k Impl) amxColumns(panels []uint32) {
	if !k.usesTiles() {
		return
	}
	var tile [tileWords]uint32
	for ; len(panels) > 0; panels = panels[tileWords:] {
		amxbf16.TilePanel(&tile[0], &panels[0], 1)
		avx2.Transpose((*float32)(unsafe.Pointer(&panels[0])), bf16Words, (*float32)(unsafe.Pointer(&tile[0])), panel)
	}
}

// amxGradPanels does the work of gradPanelsBF16 on columns in the order of amxColumns, or returns false and does
// nothing.
func (k Impl) amxGradPanels(dw Packed, dy RowsBF16, xs []uint32, first, end int) bool {
	if !k.usesTiles() {
		return false
	}
	var buffer [tilePanels*gradRows/2*panel + cacheLine/4]uint32
	ys := aligned(buffer[:], cacheLine)
	stride, blocks := panelStride(dw.In), bf16Blocks(dy.Rows)
	for p := first; p < end; {
		n := min(tilePanels, end-p)
		k.gatherPanelsBF16(ys, dy, p, p+n)
		amxbf16.TilePanel(&ys[0], &ys[0], n*blocks)
		for i := 0; i < dw.In; i += gemmRows {
			t := tile{
				c: dw.Data[p*stride+i*panel:], ldc: panel, next: stride, rows: min(gemmRows, dw.In-i),
				x: xs[i*blocks*bf16Words:], xRow: bf16Words, xCol: 1, w: ys, stride: blocks * tileWords, depth: blocks, panels: n, bf16: true, add: true,
			}
			k.tileAMX(&t, t.x, ys, true)
		}
		p += n
	}
	return true
}

// amxAgrees compares products on tiles, of random, the smallest, huge, infinite and NaN values in every
// combination, with portable Go, which takes most of its 0.1 ms.
func amxAgrees() bool {
	const rows = tileRows + 1
	var x, xs [2 * tileWords]uint32
	var w, ws [tilePanels * tileWords]uint32
	state := uint32(1)
	for i := range x {
		x[i] = testWord(i/bf16Words, &state)
		w[i] = testWord(i%panel, &state)
	}
	RowsBF16{2 * tileRows, bf16Block, x[:]}.tiles(xs[:], 0, 1)
	amxbf16.TilePanel(&ws[0], &w[0], tilePanels)
	for _, add := range []bool{false, true} {
		var want, got [rows * tilePanels * panel]float32
		for i := range want {
			want[i] = float32(i%7) - 3
		}
		got = want
		t := tile{
			c: want[:], ldc: tilePanels * panel, next: panel, rows: 3, x: x[:], xRow: bf16Words, xCol: 1,
			w: w[:], stride: tileWords, depth: 1, bf16: true, panels: tilePanels, add: add,
		}
		if add {
			t.rows = rows
		}
		tileBF16Go(&t)
		t.c, t.x, t.w = got[:], xs[:], ws[:]
		t.multiplyAMX()
		for i, v := range want {
			if math.Float32bits(got[i]) != math.Float32bits(v) && (v == v || got[i] == got[i]) { // NaN has many bits
				return false
			}
		}
	}
	return true
}

// testWord returns two values of the kind that n selects.
func testWord(n int, state *uint32) (word uint32) {
	for range 2 {
		*state = *state*1664525 + 1013904223
		random := *state >> 8
		place := random >> 16
		exponent := [...]uint32{120 + place%16, 71, 188 + place%4, 71 + place%184, 127 + place%16/15*128, 100 + place%50}[n%6]
		half := exponent<<7 | random&0x807f
		if exponent == 255 { // an infinity or quiet NaN
			half &^= 0x3f
		}
		word = word<<16 | half
	}
	return word
}
