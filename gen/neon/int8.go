package neon

import (
	"fmt"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Int8 generates the products of int8: with SMULL and SADALP, which add pairs of products to 32 bits,
// and with SDOT, which adds four.
func Int8(file *a64.File) {
	e := newEmitter(file)
	e.gemmInt8(decl.GemmInt8, longTile)
	e.gemvInt8(decl.GemvInt8, longTile)
	e.dotInt8()
	e.gemmInt8(decl.GemmInt8Dot, dotTile)
	e.gemvInt8(decl.GemvInt8Dot, dotTile)
}

const (
	quadBytes = 4 * asm.Panel // weights of a panel for four inputs
	int8Ld    = 4 * 3 * asm.Panel
)

// An int8Tile is a way to multiply: the rows of a register tile, the sums for each vector of weights, and
// the instructions that add to them the products with b, four values of x.
type int8Tile struct {
	rows, sums int
	spread     func(e *emitter, b a64.V)
	add        func(e *emitter, weights, b a64.V, acc []a64.V)
	join       func(e *emitter, acc []a64.V) a64.V
}

var longTile = int8Tile{
	rows: 2, sums: 2,
	spread: func(e *emitter, b a64.V) { e.VDUP(b, 0, b) },
	add: func(e *emitter, weights, b a64.V, acc []a64.V) {
		low, high := e.Vector(), e.Vector()
		e.VSMULL(b, weights, low)
		e.VSMULL2(b, weights, high)
		e.VSADALP(low, acc[0])
		e.VSADALP(high, acc[1])
	},
	join: func(e *emitter, acc []a64.V) a64.V {
		e.VADDP(acc[1], acc[0], acc[0])
		return acc[0]
	},
}

var dotTile = int8Tile{
	rows: 4, sums: 1,
	spread: func(*emitter, a64.V) {},
	add:    func(e *emitter, weights, b a64.V, acc []a64.V) { e.VSDOTLane(b, 0, weights, acc[0]) },
	join:   func(_ *emitter, acc []a64.V) a64.V { return acc[0] },
}

// zeros returns the sums of one row, which are 0.
func (t int8Tile) zeros(e *emitter) (acc [panelVectors][]a64.V) {
	for v := range acc {
		for range t.sums {
			acc[v] = append(acc[v], e.zero())
		}
	}
	return acc
}

// sumQuads emits a loop that adds the products of rows at x, xRow bytes apart, with the weights of a panel.
func (e *emitter) sumQuads(t int8Tile, acc [][panelVectors][]a64.V, x, xRow, w, k a64.R) {
	x, w = e.copied(x), e.copied(w)
	loop := e.NewLabel("quad")
	e.Label(loop)
	e.Comment("acc[r] += x[r][k]·w[k], four k")
	weights := e.weights(w)
	row := x
	for r := range acc {
		b := e.Vector()
		if r == 1 {
			row = e.copied(x)
		}
		if r > 0 {
			e.ADD(xRow, row, row)
		}
		e.FMOVS(row, 0, b)
		t.spread(e, b)
		for v := range weights {
			t.add(e, weights[v], b, acc[r][v])
		}
	}
	e.ADDI(4, x, x)
	e.SUBSI(1, k, k)
	e.BNE(loop)
}

// gemmInt8 generates the product of rows of x with a panel of weights.
func (e *emitter) gemmInt8(d decl.Func, t int8Tile) {
	e.function(d)
	sums, x, xRow, w, rows, starts := e.Arg("acc"), e.Arg("x"), e.Arg("xStride"), e.Arg("w"), e.Arg("rows"), e.Arg("starts")
	const next, done = "next", "done"
	label := func(r int) string { return fmt.Sprintf("rows%d", r) }
	e.Label(next)
	e.Comment("choose a tile by the rows left")
	e.CMPI(t.rows, rows)
	e.BGE(label(t.rows))
	for r := t.rows - 1; r > 0; r-- {
		e.CMPI(r, rows)
		e.BEQ(label(r))
	}
	e.B(done)
	for r := t.rows; r > 0; r-- {
		e.Label(label(r))
		e.Comment("tile: %s × 1 panel", count(r, "row"))
		e.emitInt8(t, r, sums, x, xRow, w, starts)
		for range r {
			e.ADD(xRow, x, x)
		}
		e.ADDI(r*int8Ld, sums, sums)
		e.SUBI(r, rows, rows)
		e.B(next)
	}
	e.Label(done)
	e.RET()
}

// emitInt8 computes a tile and, if starts is not nil, advances it.
func (e *emitter) emitInt8(t int8Tile, rows int, sums, x, xRow, w, starts a64.R) {
	acc := make([][panelVectors][]a64.V, rows)
	for r := range acc {
		acc[r] = t.zeros(e)
	}
	e.sumQuads(t, acc, x, xRow, w, e.Arg("quads"))
	results := make([][panelVectors]a64.V, rows)
	for r := range acc {
		for v := range acc[r] {
			results[r][v] = t.join(e, acc[r][v])
		}
	}
	own, begun := e.NewLabel("own"), e.NewLabel("begun")
	e.CBZ(starts, own)
	for r := range results {
		start := e.broadcast(starts)
		e.ADDI(4, starts, starts)
		for _, v := range results[r] {
			e.VADD(start, v, v)
		}
	}
	e.B(begun)
	e.Label(own)
	e.Comment("starts is nil: add to the old sums")
	for r := range results {
		for i, v := range results[r] {
			e.VADD(e.at(sums, r*int8Ld+i*vectorBytes), v, v)
		}
	}
	e.Label(begun)
	e.Comment("store the tile")
	for r := range results {
		for i, v := range results[r] {
			e.STQ(v, sums, r*int8Ld+i*vectorBytes)
		}
	}
}

// gemvInt8 generates the product of one row, panel by panel.
func (e *emitter) gemvInt8(d decl.Func, t int8Tile) {
	e.function(d)
	sums, x, w, stride, panels := e.Arg("acc"), e.Arg("x"), e.Arg("w"), e.Arg("stride"), e.Arg("panels")
	start := e.broadcastArg("start")
	e.times(panels, func() {
		acc := [][panelVectors][]a64.V{t.zeros(e)}
		e.sumQuads(t, acc, x, x, w, e.Arg("quads"))
		e.Comment("store the panel, advance to the next")
		for v := range acc[0] {
			s := t.join(e, acc[0][v])
			e.VADD(start, s, s)
			e.STQ(s, sums, v*vectorBytes)
		}
		e.ADD(stride, w, w)
		e.ADDI(panelBytes, sums, sums)
	})
	e.RET()
}

func (e *emitter) dotInt8() {
	e.function(decl.DotInt8)
	x, y, n := e.Arg("x"), e.Arg("y"), e.Arg("n")
	low, high := e.zero(), e.zero()
	loop := e.NewLabel("bytes")
	e.Label(loop)
	e.Comment("sum += x·y, 16 of them")
	longTile.add(e, e.at(x, 0), e.at(y, 0), []a64.V{low, high})
	e.ADDI(vectorBytes, x, x)
	e.ADDI(vectorBytes, y, y)
	e.SUBSI(vectorBytes, n, n)
	e.BNE(loop)
	e.VADD(high, low, low)
	e.Return(e.sumInts(low))
	e.RET()
}
