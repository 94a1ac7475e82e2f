package avx

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Int8 generates the products of int8: with VPDPBUSD, which multiplies four unsigned bytes by four
// signed ones and adds the products to 32 bits, and for AVX2 with VPMADDWD of bytes widened to 16 bits,
// which adds pairs of products.
func Int8(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	if e.wide() {
		e.gemmInt8(decl.GemmInt8Unsigned, 1)
		e.gemmInt8(decl.GemmWideInt8Unsigned, e.tilePanels)
		e.gemvInt8(decl.GemvInt8Unsigned)
	} else {
		e.gemmInt8(decl.GemmInt8Wide, 1)
		e.gemvInt8(decl.GemvInt8)
	}
	e.dotInt8()
}

const (
	quadBytes   = 4 * asm.Panel     // weights of a panel for four inputs
	int8Ld      = 4 * 3 * asm.Panel // between two rows of sums
	int8Rows    = 3                 // of a register tile of AVX2, with four vectors of sums of each row
	int8Flip    = 0x80808080        // makes four int8 unsigned, which adds 128
	int8Unroll  = 4                 // chains of one row
	prefetchFar = 4096              // bytes between the weights of one row in use and those prefetched
	widenAhead  = 1024              // the same for weights that are widened
)

// An int8Tile is the operands of a product whose sums are in registers.
type int8Tile struct {
	tile
	acc, starts reg.GPVirtual
	flip        reg.VecVirtual
	panels      int
}

// gemmInt8 generates the product of rows of x with panels of weights.
func (e *emitter) gemmInt8(d decl.Func, panels int) {
	e.function(d)
	t := int8Tile{
		tile:   tile{emitter: e, vectors: panels * asm.Panel / e.lanes, x: e.arg("x"), xRow: e.arg("xStride")},
		acc:    e.arg("acc"),
		starts: e.arg("starts"),
		panels: panels,
	}
	most := int8Rows
	if e.wide() {
		most, t.stride, t.flip = e.tileRows, e.arg("stride"), e.loaded(e.repeated("flip", int8Flip))
	} else {
		e.widenWeights()
	}
	for odd := 3; odd < most; odd += 2 {
		t.odd = append(t.odd, e.multiple(t.xRow, odd))
	}
	rows := e.arg("rows")
	next, done := d.Name+"_next", d.Name+"_done"
	label := func(r int) string { return fmt.Sprintf("%s_rows%d", d.Name, r) }
	e.Label(next)
	e.Comment("choose a tile by the rows left")
	e.CMPQ(rows, operand.I8(most))
	e.JGE(operand.LabelRef(label(most)))
	for r := most - 1; r > 0; r-- {
		e.CMPQ(rows, operand.I8(r))
		e.JEQ(operand.LabelRef(label(r)))
	}
	e.JMP(operand.LabelRef(done))
	for r := most; r > 0; r-- {
		e.Label(label(r))
		e.Commentf("tile: %s × %s", count(r, "row"), count(panels, "panel"))
		if e.wide() {
			t.emitUnsigned(r)
		} else {
			t.emitPairs(r)
		}
		skip := e.multiple(t.xRow, r)
		e.ADDQ(skip, t.x)
		e.ADDQ(operand.U32(r*int8Ld), t.acc)
		e.SUBQ(operand.I8(r), rows)
		e.JMP(operand.LabelRef(next))
	}
	e.Label(done)
	e.end()
}

// vectorSums returns new registers for the given number of vectors of each row.
func (t int8Tile) vectorSums(rows, vectors int) [][]reg.VecVirtual {
	acc := make([][]reg.VecVirtual, rows)
	for r := range acc {
		for range vectors {
			acc[r] = append(acc[r], t.vec())
		}
	}
	return acc
}

// sums returns vector v of row r of the results.
func (t int8Tile) sums(r, v int) operand.Mem { return at(t.acc, r*int8Ld+v*t.bytes) }

// either emits one of two ways to begin or end: with starts, which it advances, or with the old sums.
func (t int8Tile) either(rows int, started, own func()) {
	otherwise, done := t.label("own"), t.label("begun")
	t.TESTQ(t.starts, t.starts)
	t.JZ(operand.LabelRef(otherwise))
	started()
	t.ADDQ(operand.I8(4*rows), t.starts)
	t.JMP(operand.LabelRef(done))
	t.Label(otherwise)
	t.Comment("starts is nil: add to the old sums")
	own()
	t.Label(done)
}

// emitUnsigned computes a tile with VPDPBUSD.
func (t int8Tile) emitUnsigned(rows int) {
	acc := t.vectorSums(rows, t.vectors)
	t.either(rows, func() {
		for r := range acc {
			t.VPBROADCASTD(at(t.starts, 4*r), acc[r][0])
			for _, v := range acc[r][1:] {
				t.VMOVDQA32(acc[r][0], v)
			}
		}
	}, func() {
		for r := range acc {
			for v := range acc[r] {
				t.VMOVDQU32(t.sums(r, v), acc[r][v])
			}
		}
	})
	x, w, k := t.GP64(), t.arg("w"), t.arg("quads")
	t.MOVQ(t.x, x)
	t.times(k, func() {
		t.Commentf("acc[r] += x[r][k]·(w[k]+128), four k: %d sums, %d weights, 1 element of x", rows*t.vectors, t.vectors)
		weights := make([]reg.VecVirtual, t.vectors)
		for v := range weights {
			weights[v] = t.vec()
			t.VPXORD(t.inPanel(w, t.stride, v), t.flip, weights[v])
		}
		for r := range acc {
			b := t.vec()
			t.VPBROADCASTD(t.row(x, r), b)
			for v := range weights {
				t.VPDPBUSD(b, weights[v], acc[r][v])
			}
		}
		for v := range weights {
			t.PREFETCHT0(t.inPanel(w, t.stride, v).Offset(prefetchBytes))
		}
		t.ADDQ(operand.I8(quadBytes), w)
		t.ADDQ(operand.I8(4), x)
	})
	t.Comment("store the tile, advance to the next rows")
	for r := range acc {
		for v := range acc[r] {
			t.VMOVDQU32(acc[r][v], t.sums(r, v))
		}
	}
}

// quarters is the number of vectors of int32 that hold two sums for each output of a panel.
const quarters = 4

// widenWeights copies a panel to wide as int16, which every tile reads.
func (e *emitter) widenWeights() {
	w, k, wide := e.arg("w"), e.arg("quads"), e.arg("wide")
	e.times(k, func() {
		e.Comment("wide = w, four k")
		for v := range quarters {
			weights := e.vec()
			e.VPMOVSXBW(at(w, v*e.bytes/2), weights)
			e.VMOVDQU(weights, at(wide, v*e.bytes))
		}
		e.PREFETCHT0(at(w, widenAhead))
		e.ADDQ(operand.I8(quadBytes), w)
		e.ADDQ(operand.U32(2*quadBytes), wide)
	})
}

// emitPairs computes a tile with VPMADDWD.
func (t int8Tile) emitPairs(rows int) {
	acc := t.vectorSums(rows, quarters)
	for r := range acc {
		for _, v := range acc[r] {
			t.VPXOR(v, v, v)
		}
	}
	x, w, k, ahead := t.GP64(), t.arg("wide"), t.arg("quads"), t.arg("quads")
	t.MOVQ(t.x, x)
	t.Comment("ahead: the weights after these")
	t.SHLQ(operand.U8(bits.TrailingZeros(quadBytes)), ahead)
	next := t.arg("w")
	t.ADDQ(next, ahead)
	t.times(k, func() {
		t.Commentf("acc[r] += x[r][k]·w[k], four k: %d sums of pairs", rows*quarters)
		b := make([]reg.VecVirtual, rows)
		for r := range b {
			b[r] = t.quad(t.row(x, r))
		}
		for v := range quarters {
			for r := range acc {
				t.addPairs(at(w, v*t.bytes), b[r], acc[r][v])
			}
		}
		t.PREFETCHT1(at(ahead, 0))
		t.ADDQ(operand.I8(quadBytes), ahead)
		t.ADDQ(operand.U32(2*quadBytes), w)
		t.ADDQ(operand.I8(4), x)
	})
	t.Comment("add the pairs")
	for r := range acc {
		acc[r] = t.joinPairs(acc[r])
	}
	t.either(rows, func() {
		for r := range acc {
			b := t.vec()
			t.VPBROADCASTD(at(t.starts, 4*r), b)
			for _, v := range acc[r] {
				t.VPADDD(b, v, v)
			}
		}
	}, func() {
		for r := range acc {
			for v := range acc[r] {
				t.VPADDD(t.sums(r, v), acc[r][v], acc[r][v])
			}
		}
	})
	t.Comment("store the tile, advance to the next rows")
	for r := range acc {
		for v := range acc[r] {
			t.VMOVDQU(acc[r][v], t.sums(r, v))
		}
	}
}

// quad returns four int8 as int16, four times.
func (e *emitter) quad(m operand.Mem) reg.VecVirtual {
	x, b := e.XMM(), e.YMM()
	e.VPBROADCASTD(m, x)
	e.VPMOVSXBW(x, b)
	return b
}

// addPairs adds the products of int16 to acc, two adjacent ones to each int32.
func (e *emitter) addPairs(a operand.Op, b, acc reg.VecVirtual) {
	p := e.YMM()
	e.VPMADDWD(a, b, p)
	e.VPADDD(p, acc, acc)
}

// joinPairs adds adjacent sums of a panel: VPHADDD does so in each half of its operands.
func (e *emitter) joinPairs(acc []reg.VecVirtual) (sums []reg.VecVirtual) {
	const order = 0xd8 // 0, 2, 1, 3
	for v := 0; v < len(acc); v += 2 {
		s := e.YMM()
		e.VPHADDD(acc[v+1], acc[v], s)
		e.VPERMQ(operand.U8(order), s, s)
		sums = append(sums, s)
	}
	return sums
}

// gemvInt8 generates the product of one row, panel by panel.
func (e *emitter) gemvInt8(d decl.Func) {
	e.function(d)
	acc, x, w, stride, panels := e.arg("acc"), e.arg("x"), e.arg("w"), e.arg("stride"), e.arg("panels")
	start := e.broadcastArg("start")
	var flip reg.VecVirtual
	if e.wide() {
		flip = e.loaded(e.repeated("flip", int8Flip))
	}
	e.times(panels, func() {
		xk, wk, k := e.GP64(), e.GP64(), e.arg("quads")
		e.MOVQ(x, xk)
		e.MOVQ(w, wk)
		sums := e.panelSums(xk, wk, k, flip)
		e.Comment("store the panel, advance to the next")
		for v, s := range sums {
			e.VPADDD(start, s, s)
			e.VMOVUPS(s, at(acc, v*e.bytes))
		}
		e.ADDQ(stride, w)
		e.ADDQ(operand.I8(4*asm.Panel), acc)
	})
	e.end()
}

// panelSums returns the sums of one panel.
func (e *emitter) panelSums(x, w, k reg.GPVirtual, flip reg.VecVirtual) []reg.VecVirtual {
	acc := make([]reg.VecVirtual, int8Unroll)
	for i := range acc {
		acc[i] = e.zero()
	}
	if !e.wide() {
		e.times(k, func() {
			e.Comment("acc += x[k]·w[k], four k")
			b := e.quad(at(x, 0))
			for v := range acc {
				weights := e.vec()
				e.VPMOVSXBW(at(w, v*e.bytes/2), weights)
				e.addPairs(weights, b, acc[v])
			}
			e.PREFETCHT0(at(w, prefetchFar))
			e.ADDQ(operand.I8(quadBytes), w)
			e.ADDQ(operand.I8(4), x)
		})
		return e.joinPairs(acc)
	}
	add := func(i int) {
		weights, b := e.vec(), e.vec()
		e.VPXORD(at(w, i*quadBytes), flip, weights)
		e.VPBROADCASTD(at(x, 4*i), b)
		e.VPDPBUSD(b, weights, acc[i])
	}
	loop, tail, one, done := e.label("quads"), e.label("tail"), e.label("quad"), e.label("summed")
	e.SUBQ(operand.I8(int8Unroll), k)
	e.JLT(operand.LabelRef(tail))
	e.Label(loop)
	e.Commentf("acc += x[k]·(w[k]+128), %d k", 4*int8Unroll)
	for i := range acc {
		add(i)
		e.PREFETCHT0(at(w, i*quadBytes+prefetchFar))
	}
	e.ADDQ(operand.U32(int8Unroll*quadBytes), w)
	e.ADDQ(operand.I8(4*int8Unroll), x)
	e.SUBQ(operand.I8(int8Unroll), k)
	e.JGE(operand.LabelRef(loop))
	e.Label(tail)
	e.ADDQ(operand.I8(int8Unroll), k)
	e.JZ(operand.LabelRef(done))
	e.Label(one)
	e.Comment("the remaining k, four at a time")
	add(0)
	e.ADDQ(operand.I8(quadBytes), w)
	e.ADDQ(operand.I8(4), x)
	e.DECQ(k)
	e.JNZ(operand.LabelRef(one))
	e.Label(done)
	e.VPADDD(acc[1], acc[0], acc[0])
	e.VPADDD(acc[3], acc[2], acc[2])
	e.VPADDD(acc[2], acc[0], acc[0])
	return acc[:1]
}

func (e *emitter) dotInt8() {
	e.function(decl.DotInt8)
	x, y, n := e.arg("x"), e.arg("y"), e.arg("n")
	if e.wide() {
		e.dotUnsigned(x, y, n)
	} else {
		sum := []reg.VecVirtual{e.zero(), e.zero()}
		e.SHRQ(operand.U8(4), n)
		e.times(n, func() {
			e.Comment("sum += x·y, 16 of them")
			a, b := e.vec(), e.vec()
			e.VPMOVSXBW(at(x, 0), a)
			e.VPMOVSXBW(at(y, 0), b)
			e.addPairs(a, b, sum[0])
			e.ADDQ(operand.I8(16), x)
			e.ADDQ(operand.I8(16), y)
		})
		e.returnInt(e.sumInts(sum))
	}
	e.end()
}

// dotUnsigned subtracts Σ 128·y from Σ (x+128)·y.
func (e *emitter) dotUnsigned(x, y, n reg.GPVirtual) {
	flip := e.loaded(e.repeated("flip", int8Flip))
	sum, offset, restSum, restOffset := e.zero(), e.zero(), e.zero(), e.zero()
	loop, tail, rest, done := e.label("bytes"), e.label("tail"), e.label("rest"), e.label("summed")
	e.SUBQ(operand.I8(64), n)
	e.JLT(operand.LabelRef(tail))
	e.Label(loop)
	e.Comment("sum += (x+128)·y, offset += 128·y, 64 of them")
	u, v := e.vec(), e.vec()
	e.VPXORD(at(x, 0), flip, u)
	e.VMOVDQU32(at(y, 0), v)
	e.VPDPBUSD(v, u, sum)
	e.VPDPBUSD(v, flip, offset)
	e.ADDQ(operand.I8(64), x)
	e.ADDQ(operand.I8(64), y)
	e.SUBQ(operand.I8(64), n)
	e.JGE(operand.LabelRef(loop))
	e.Label(tail)
	e.ADDQ(operand.I8(64), n)
	e.JZ(operand.LabelRef(done))
	e.Label(rest)
	e.Comment("16 of them, with zeros in the other lanes")
	e.VPXORD(at(x, 0), flip.AsX(), u.AsX())
	e.VMOVDQU32(at(y, 0), v.AsX())
	e.VPDPBUSD(v.AsX(), u.AsX(), restSum.AsX())
	e.VPDPBUSD(v.AsX(), flip.AsX(), restOffset.AsX())
	e.ADDQ(operand.I8(16), x)
	e.ADDQ(operand.I8(16), y)
	e.SUBQ(operand.I8(16), n)
	e.JNZ(operand.LabelRef(rest))
	e.Label(done)
	e.VPADDD(restSum, sum, sum)
	e.VPADDD(restOffset, offset, offset)
	e.VPSUBD(offset, sum, sum)
	e.returnInt(e.sumInts([]reg.VecVirtual{sum}))
}
