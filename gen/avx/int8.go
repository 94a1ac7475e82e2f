package avx

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Int8 generates the products of int8: with VPDPBUSD, which multiplies four unsigned bytes by four
// signed ones and adds the products to 32 bits, and for AVX2 with VPMADDWD (int8pairs.go).
func Int8(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	if !e.vnni {
		e.gemmInt8Pairs()
		e.gemvInt8Scaled()
		return
	}
	e.gemmInt8(decl.GemmInt8Unsigned, 1)
	if e.tilePanels > 1 {
		e.gemmInt8(decl.GemmWideInt8Unsigned, e.tilePanels)
	}
	e.gemvInt8()
}

const (
	quadBytes   = 4 * asm.Panel     // weights of a panel for four inputs
	int8Ld      = 4 * 3 * asm.Panel // between two rows of sums
	int8Flip    = 0x80808080        // makes four int8 unsigned, which adds 128
	int8Unroll  = 4                 // chains of one row
	prefetchFar = 16384             // bytes between the weights of one row in use and those prefetched
)

// addBytes adds to the sums the products of four signed bytes with four unsigned ones.
func (e *emitter) addBytes(signed, unsigned, sums reg.VecVirtual) {
	if e.wide() {
		e.VPDPBUSD(signed, unsigned, sums)
		return
	}
	e.Instruction(&ir.Instruction{
		Opcode:   "VPDPBUSD.VEX",
		Operands: []operand.Op{signed, unsigned, sums},
		Inputs:   []operand.Op{signed, unsigned, sums},
		Outputs:  []operand.Op{sums},
		ISA:      []string{"AVX2", "AVXVNNI"},
	})
}

// flipped sets d to the bytes at m with their signs flipped.
func (e *emitter) flipped(m operand.Mem, flip, d reg.Register) {
	if e.wide() {
		e.VPXORD(m, flip, d)
	} else {
		e.VPXOR(m, flip, d)
	}
}

// An int8Tile is the operands of a product whose sums are in registers.
type int8Tile struct {
	tile
	acc, starts reg.GPVirtual
	flip        reg.VecVirtual
}

// gemmInt8 generates the product of rows of x with panels of weights.
func (e *emitter) gemmInt8(d decl.Func, panels int) {
	e.function(d)
	t := int8Tile{
		tile: tile{
			e: e, vectors: panels * asm.Panel / e.lanes,
			x: e.arg("x"), xRow: e.arg("xStride"), stride: e.arg("stride"),
		},
		acc: e.arg("acc"), starts: e.arg("starts"), flip: e.loaded(e.repeated("flip", int8Flip)),
	}
	t.odd = e.oddMultiples(t.xRow, e.tileRows)
	e.tilesOfRows(d.Name, e.tileRows, func(r int) {
		e.Commentf("tile: %s × %s", count(r, "row"), count(panels, "panel"))
		t.emit(r)
		skip := e.multiple(t.xRow, r)
		e.ADDQ(skip, t.x)
		e.ADDQ(operand.U32(r*int8Ld), t.acc)
	})
	e.end()
}

// tilesOfRows emits a loop over rows, most at a time: emit computes r rows and advances to the next.
func (e *emitter) tilesOfRows(name string, most int, emit func(r int)) {
	rows := e.arg("rows")
	next, done := name+"_next", name+"_done"
	label := func(r int) string { return fmt.Sprintf("%s_rows%d", name, r) }
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
		emit(r)
		e.SUBQ(operand.I8(r), rows)
		e.JMP(operand.LabelRef(next))
	}
	e.Label(done)
}

// sums returns vector v of row r of the results.
func (t int8Tile) sums(r, v int) operand.Mem { return at(t.acc, r*int8Ld+v*t.e.bytes) }

// begin loads what the sums begin with: starts, which it advances, or the old sums.
func (t int8Tile) begin(acc [][]reg.VecVirtual) {
	e := t.e
	own, begun := e.label("own"), e.label("begun")
	e.TESTQ(t.starts, t.starts)
	e.JZ(operand.LabelRef(own))
	for r := range acc {
		e.VPBROADCASTD(at(t.starts, 4*r), acc[r][0])
		for _, v := range acc[r][1:] {
			e.VMOVAPS(acc[r][0], v)
		}
	}
	e.ADDQ(operand.I8(4*len(acc)), t.starts)
	e.JMP(operand.LabelRef(begun))
	e.Label(own)
	e.Comment("starts is nil: add to the old sums")
	for r := range acc {
		for v := range acc[r] {
			e.VMOVUPS(t.sums(r, v), acc[r][v])
		}
	}
	e.Label(begun)
}

// emit computes a tile. It prefetches the panels after its own, which the next tile reads, into the
// second-level cache.
func (t int8Tile) emit(rows int) {
	e := t.e
	acc := grid(rows, t.vectors, e.vec)
	t.begin(acc)
	x, w, k := e.GP64(), e.arg("w"), e.arg("quads")
	e.MOVQ(t.x, x)
	panels := t.vectors * e.lanes / asm.Panel
	next := e.multiple(t.stride, panels)
	e.ADDQ(w, next)
	e.times(k, func() {
		e.Commentf("acc[r] += x[r][k]·(w[k]+128), four k: %d sums, %d weights, 1 element of x", rows*t.vectors, t.vectors)
		weights := make([]reg.VecVirtual, t.vectors)
		for v := range weights {
			weights[v] = e.vec()
			e.flipped(e.inPanel(w, t.stride, v), t.flip, weights[v])
		}
		for r := range acc {
			b := e.vec()
			e.VPBROADCASTD(t.row(x, r), b)
			for v := range weights {
				e.addBytes(b, weights[v], acc[r][v])
			}
		}
		for v := range weights {
			e.PREFETCHT1(e.inPanel(next, t.stride, v))
		}
		e.ADDQ(operand.I8(quadBytes), next)
		e.ADDQ(operand.I8(quadBytes), w)
		e.ADDQ(operand.I8(4), x)
	})
	e.Comment("store the tile, advance to the next rows")
	for r := range acc {
		for v := range acc[r] {
			e.VMOVUPS(acc[r][v], t.sums(r, v))
		}
	}
}

// gemvInt8 generates the product of one row, panel by panel.
func (e *emitter) gemvInt8() {
	e.function(decl.GemvInt8Unsigned)
	acc, x, w, stride, panels := e.arg("acc"), e.arg("x"), e.arg("w"), e.arg("stride"), e.arg("panels")
	start, flip := e.broadcastArg("start"), e.loaded(e.repeated("flip", int8Flip))
	e.times(panels, func() {
		xk, wk, k := e.GP64(), e.GP64(), e.arg("quads")
		e.MOVQ(x, xk)
		e.MOVQ(w, wk)
		sums := e.panelSums(xk, wk, k, flip)
		e.Comment("store the panel, advance to the next")
		for v, sum := range sums {
			e.VPADDD(start, sum, sum)
			e.VMOVUPS(sum, at(acc, v*e.bytes))
		}
		e.ADDQ(stride, w)
		e.ADDQ(operand.I8(4*asm.Panel), acc)
	})
	e.end()
}

func (e *emitter) panelSums(x, w, k reg.GPVirtual, flip reg.VecVirtual) []reg.VecVirtual {
	acc := grid(int8Unroll, asm.Panel/e.lanes, e.zero)
	add := func(i int) {
		b := e.vec()
		for v, sum := range acc[i] {
			weights := e.vec()
			e.flipped(at(w, i*quadBytes+v*e.bytes), flip, weights)
			if v == 0 {
				e.VPBROADCASTD(at(x, 4*i), b)
			}
			e.addBytes(b, weights, sum)
		}
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
	for v, sum := range acc[0] {
		e.VPADDD(acc[1][v], sum, sum)
		e.VPADDD(acc[3][v], acc[2][v], acc[2][v])
		e.VPADDD(acc[2][v], sum, sum)
	}
	return acc[0]
}
