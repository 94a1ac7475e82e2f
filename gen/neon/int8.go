package neon

import (
	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Int8 generates the products of int8: with SMULL and SADALP, which add pairs of products to 32 bits,
// with SDOT, which adds four, and with SMMLA, which adds eight for each of two rows. One row alone leaves
// half of SMMLA unused, and its weights take permutations: SDOT needs fewer instructions.
func Int8(file *a64.File) {
	e := newEmitter(file)
	e.gemmInt8(decl.GemmInt8, longTile.rows, longTile.results)
	e.gemvInt8(decl.GemvInt8, longTile)
	e.gemmInt8(decl.GemmInt8Dot, dotTile.rows, dotTile.results)
	e.gemvInt8(decl.GemvInt8Dot, dotTile)
	e.gemmInt8(decl.GemmInt8Matrix, 6, matrixResults)
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

// results returns the sums of rows.
func (t int8Tile) results(e *emitter, rows int, x, xRow, w, k a64.R) [][panelVectors]a64.V {
	acc := make([][panelVectors][]a64.V, rows)
	for r := range acc {
		acc[r] = t.zeros(e)
	}
	e.sumQuads(t, acc, x, xRow, w, k)
	results := make([][panelVectors]a64.V, rows)
	for r := range acc {
		for v := range acc[r] {
			results[r][v] = t.join(e, acc[r][v])
		}
	}
	return results
}

// matrixResults returns the sums of rows by SMMLA, each of two rows and two outputs: 3·8 for
// six rows, with three pairs of rows and five registers of weights. An odd last row is a pair with itself.
func matrixResults(e *emitter, rows int, x, xRow, w, k a64.R) [][panelVectors]a64.V {
	sums, pointers := make([][2 * panelVectors]a64.V, (rows+1)/2), []a64.R{e.copied(x)}
	for p := range sums {
		for i := range sums[p] {
			sums[p][i] = e.zero()
		}
	}
	for r := 1; r < rows; r++ {
		p := e.General()
		e.ADD(xRow, x, p)
		if r > 1 {
			e.ADD(xRow, pointers[r-1], p)
		}
		pointers = append(pointers, p)
	}
	if rows%2 != 0 {
		pointers = append(pointers, e.copied(pointers[rows-1]))
	}
	w = e.copied(w)
	loop, last, done := e.NewLabel("quads"), e.NewLabel("last"), e.NewLabel("summed")
	e.SUBSI(2, k, k)
	e.BLT(last)
	e.Label(loop)
	e.Comment("sums += x·w, eight k")
	e.addMatrices(sums, pointers, w, true)
	e.SUBSI(2, k, k)
	e.BGE(loop)
	e.Label(last)
	e.ADDSI(2, k, k)
	e.BEQ(done)
	e.Comment("sums += x·w, the last four k")
	e.addMatrices(sums, pointers, w, false)
	e.Label(done)
	results := make([][panelVectors]a64.V, 2*len(sums))
	for p := range sums {
		for v := range panelVectors {
			left, right := sums[p][2*v], sums[p][2*v+1]
			results[2*p][v], results[2*p+1][v] = e.Vector(), right
			e.VTRN1D(right, left, results[2*p][v])
			e.VTRN2D(right, left, right)
		}
	}
	return results[:rows]
}

// addMatrices adds the products of eight inputs, or of four with weights and four without, at the pointers, which
// it advances.
func (e *emitter) addMatrices(sums [][2 * panelVectors]a64.V, pointers []a64.R, w a64.R, whole bool) {
	x := make([]a64.V, len(sums))
	for p := range x {
		x[p] = e.Vector()
		e.FMOVDP(pointers[2*p], x[p])
		e.LD1DP(pointers[2*p+1], x[p])
	}
	for first := 0; first < panelVectors; first += 2 {
		a, b := [2]a64.V{e.Vector(), e.Vector()}, [2]a64.V{}
		e.FLDPQ(w, first*vectorBytes, a[0], a[1])
		if whole {
			b = [2]a64.V{e.Vector(), e.Vector()}
			e.FLDPQ(w, quadBytes+first*vectorBytes, b[0], b[1])
		} else {
			b = [2]a64.V{e.zero(), e.zero()}
		}
		for i := range a {
			left := e.Vector()
			e.VZIP1(b[i], a[i], left)
			e.VZIP2(b[i], a[i], a[i])
			for p := range sums {
				e.VSMMLA(left, x[p], sums[p][2*(first+i)])
			}
			for p := range sums {
				e.VSMMLA(a[i], x[p], sums[p][2*(first+i)+1])
			}
		}
	}
	e.ADDI(2*quadBytes, w, w)
}

// gemmInt8 generates the product of rows of x with a panel of weights, in tiles of most rows or fewer whose sums
// tile returns.
func (e *emitter) gemmInt8(d decl.Func, most int, tile func(e *emitter, rows int, x, xRow, w, k a64.R) [][panelVectors]a64.V) {
	e.function(d)
	sums, x, xRow, w, rows, starts := e.Arg("acc"), e.Arg("x"), e.Arg("xStride"), e.Arg("w"), e.Arg("rows"), e.Arg("starts")
	e.tilesOfRows(rows, most, 0, func(r int) {
		e.finishInt8(tile(e, r, x, xRow, w, e.Arg("quads")), sums, starts)
		for range r {
			e.ADD(xRow, x, x)
		}
		e.ADDI(r*int8Ld, sums, sums)
	})
	e.RET()
}

// finishInt8 adds what the sums of a tile begin with, advances starts if that is not nil, and stores the sums.
func (e *emitter) finishInt8(results [][panelVectors]a64.V, sums, starts a64.R) {
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
