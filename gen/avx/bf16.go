package avx

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// BF16 generates the products of bfloat16 by fma of the halves of words widened to float32, and the
// conversions.
func BF16(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.gemmBF16(decl.GemmBF16, 1, bf16Tile.addWidened)
	if e.tilePanels > 1 {
		e.gemmBF16(decl.GemmWideBF16, e.tilePanels, bf16Tile.addWidened)
	}
	e.gatherBF16()
	e.roundBF16()
	e.roundPanelBF16()
}

// BF16Pairs generates the products of bfloat16 with VDPBF16PS.
func BF16Pairs(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.gemmBF16(decl.GemmBF16Pairs, 1, bf16Tile.addPairs)
	e.gemmBF16(decl.GemmWideBF16Pairs, e.tilePanels, bf16Tile.addPairs)
}

const (
	wordBytes  = 4 * asm.Panel // words of a panel for two inputs
	blockPairs = 8             // words of a block with even inputs, and as many with odd ones
	upperHalf  = 0xffff0000
)

// A bf16Tile is the operands of a product whose sums of a block are in registers: for each vector of each
// row that of the even and that of the odd inputs. Distances are in bytes.
type bf16Tile struct {
	tile
	// add emits sums[r][v] += products of word halves, x of row r at x and weights v of the panels at w.
	add pairAdder
}

type pairAdder func(t bf16Tile, x, w reg.GPVirtual, sums [][]reg.VecVirtual)

// bf16TileRows is the number of rows of a register tile, which needs two sums for each vector of each row,
// the weights of one word, one element and a mask: 3·2·2 + 2 + 1 + 1 of the 16 registers of AVX2 and
// 4·3·2 + 3 + 1 + 1 of the 32 of AVX-512.
func (e *emitter) bf16TileRows() int {
	if e.wide() {
		return 4
	}
	return 3
}

// gemmBF16 generates the product of rows of x with panels of weights.
func (e *emitter) gemmBF16(d decl.Func, panels int, add pairAdder) {
	e.function(d)
	e.schedule(schedule{inFlight: 2, constants: 1}, schedule{inFlight: 2, constants: 1})
	t := bf16Tile{
		tile: tile{
			emitter: e, vectors: panels * asm.Panel / e.lanes, c: e.arg("c"), x: e.arg("x"),
			xRow: e.inBytes("xRow"), xCol: e.inBytes("xCol"), stride: e.inBytes("stride"),
		},
		add: add,
	}
	most := e.bf16TileRows()
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
		t.emit(r)
		e.SUBQ(operand.I8(r), rows)
		e.JMP(operand.LabelRef(next))
	}
	e.Label(done)
	e.schedule(schedule{inFlight: 2, constants: 0}, schedule{inFlight: 2, constants: 12})
	e.addBias(t.vectors)
	e.activateRows(t.vectors)
	e.end()
}

// eachResult emits code for every vector of results of a tile. result emits nothing but that for one
// vector.
func (t bf16Tile) eachResult(rows int, result func(r, v int, m operand.Mem)) {
	next, ldc, p := t.inBytes("next"), t.inBytes("ldc"), t.GP64()
	t.MOVQ(t.c, p)
	for r := range rows {
		for v := range t.vectors {
			result(r, v, t.inPanel(p, next, v))
		}
		if r < rows-1 {
			t.ADDQ(ldc, p)
		}
	}
}

// emit computes a tile at c and x, then advances both.
func (t bf16Tile) emit(rows int) {
	begun := t.label("begun")
	add := t.arg("add")
	t.TESTQ(add, add)
	t.JNZ(operand.LabelRef(begun))
	t.Comment("add is 0: begin with +0")
	zero := t.zero()
	t.eachResult(rows, func(_, _ int, m operand.Mem) { t.VMOVUPS(zero, m) })
	t.Label(begun)
	x, w, blocks := t.GP64(), t.arg("w"), t.arg("blocks")
	t.MOVQ(t.x, x)
	t.times(blocks, func() {
		t.Comment("a block: even = odd = +0")
		even, odd := t.zeros(rows), t.zeros(rows)
		pairs := t.GP64()
		t.MOVQ(operand.U32(blockPairs), pairs)
		t.times(pairs, func() {
			for i, sums := range [][][]reg.VecVirtual{even, odd} {
				t.Commentf("%s: %d sums, %d weights, 1 element of x", []string{"even", "odd"}[i], rows*t.vectors, t.vectors)
				t.add(t, x, w, sums)
				for v := 0; v < t.vectors; v += asm.Panel / t.lanes {
					t.PREFETCHT0(t.inPanel(w, t.stride, v).Offset(prefetchBytes))
				}
				t.ADDQ(operand.I8(wordBytes), w)
				t.ADDQ(t.xCol, x)
			}
		})
		t.Comment("c += even + odd")
		t.eachResult(rows, func(r, v int, m operand.Mem) {
			t.VADDPS(odd[r][v], even[r][v], even[r][v])
			t.VADDPS(m, even[r][v], even[r][v])
			t.VMOVUPS(even[r][v], m)
		})
	})
	t.Comment("advance to the next rows")
	ldc := t.inBytes("ldc")
	skipC, skipX := t.multiple(ldc, rows), t.multiple(t.xRow, rows)
	t.ADDQ(skipC, t.c)
	t.ADDQ(skipX, t.x)
}

// zeros returns registers of zeros for the vectors of rows.
func (t bf16Tile) zeros(rows int) [][]reg.VecVirtual {
	sums := make([][]reg.VecVirtual, rows)
	for r := range sums {
		for range t.vectors {
			sums[r] = append(sums[r], t.zero())
		}
	}
	return sums
}

// addPairs adds the products of the upper halves of words, then those of the lower ones, by one
// instruction.
func (t bf16Tile) addPairs(x, w reg.GPVirtual, sums [][]reg.VecVirtual) {
	weights := make([]reg.VecVirtual, t.vectors)
	for v := range weights {
		weights[v] = t.loaded(t.inPanel(w, t.stride, v))
	}
	for r := range sums {
		b := t.vec()
		t.VBROADCASTSS(t.row(x, r), b)
		for v := range weights {
			t.addPair(b, weights[v], sums[r][v])
		}
	}
}

// addWidened does the same by fma of float32.
func (t bf16Tile) addWidened(x, w reg.GPVirtual, sums [][]reg.VecVirtual) {
	upper := t.bits("upperHalf", upperHalf)
	for _, widen := range []func(v reg.VecVirtual){
		func(v reg.VecVirtual) { t.VANDPS(upper, v, v) },
		func(v reg.VecVirtual) { t.VPSLLD(operand.U8(16), v, v) },
	} {
		weights := make([]reg.VecVirtual, t.vectors)
		for v := range weights {
			weights[v] = t.loaded(t.inPanel(w, t.stride, v))
			widen(weights[v])
		}
		for r := range sums {
			b := t.vec()
			t.VBROADCASTSS(t.row(x, r), b)
			widen(b)
			for v := range weights {
				t.VFMADD231PS(weights[v], b, sums[r][v])
			}
		}
	}
}

// addBias adds the bias to the rows of c.
func (e *emitter) addBias(vectors int) {
	done := e.label("biased")
	from := e.arg("bias")
	e.TESTQ(from, from)
	e.JZ(operand.LabelRef(done))
	e.Comment("epilogue: y += bias")
	bias := make([]reg.VecVirtual, vectors)
	for v := range bias {
		bias[v] = e.loaded(at(from, v*e.bytes))
	}
	c, next, ldc, rows := e.arg("c"), e.inBytes("next"), e.inBytes("ldc"), e.arg("rows")
	e.times(rows, func() {
		for v := range bias {
			result, sum := e.inPanel(c, next, v), e.vec()
			e.VADDPS(result, bias[v], sum)
			e.VMOVUPS(sum, result)
		}
		e.ADDQ(ldc, c)
	})
	e.Label(done)
}

// gatherBF16 generates the interleaving of rows. The words of a row hold values 4q and 4q+2, 4q+1 and
// 4q+3, the upper half first, so its values are in the order 2, 0, 3, 1.
func (e *emitter) gatherBF16() {
	const order = 1 | 3<<2 | 0<<4 | 2<<6
	e.function(decl.GatherBF16)
	dst, src, stride, quads := e.arg("dst"), e.arg("src"), e.inBytes("stride"), e.arg("quads")
	e.times(quads, func() {
		e.Comment("four rows of 16 values")
		var rows [4][]reg.VecVirtual
		for i := range rows {
			for v := range asm.Panel / e.lanes {
				w := e.vec()
				e.VPMOVZXWD(at(src, v*e.bytes/2), w)
				e.VPSHUFD(operand.U8(order), w, w)
				rows[i] = append(rows[i], w)
			}
			e.ADDQ(stride, src)
		}
		for odd := range 2 {
			for v, upper := range rows[odd] {
				e.VPSLLD(operand.U8(16), upper, upper)
				e.VORPS(rows[odd+2][v], upper, upper)
				e.VMOVUPS(upper, at(dst, odd*wordBytes+v*e.bytes))
			}
		}
		e.ADDQ(operand.U32(2*wordBytes), dst)
	})
	e.end()
}

// roundBF16 generates the rounding of a row. Values 2 and 3 of four go to the lower halves of the words of
// values 0 and 1.
func (e *emitter) roundBF16() {
	const halves, first = 0x4e, 0x08 // order of the 64-bit halves of four values; words 0, 1 of the first and third four
	e.function(decl.RoundBF16)
	e.schedule(schedule{inFlight: 2, constants: 5}, schedule{inFlight: 2, constants: 6})
	dst, src, blocks := e.arg("dst"), e.arg("src"), e.arg("blocks")
	e.times(blocks, func() {
		e.Comment("32 values")
		for i := 0; i < 2*asm.Panel; i += 2 * e.lanes {
			var words [2]reg.VecVirtual
			e.interleave(2, func(half int) {
				upper, lower := e.rounded(e.loaded(at(src, 4*(i+half*e.lanes)))), e.vec()
				e.VPSHUFD(operand.U8(halves), upper, lower)
				e.VPSRLD(operand.U8(16), lower, lower)
				e.VORPS(lower, upper, upper)
				if !e.wide() {
					e.VPERMQ(operand.U8(first), upper, upper)
					e.VMOVUPS(upper.AsX(), at(dst, 2*(i+half*e.lanes)))
				}
				words[half] = upper
			})
			if e.wide() {
				order := e.loaded(e.words("evenQuads", []uint32{0, 0, 2, 0, 4, 0, 6, 0, 8, 0, 10, 0, 12, 0, 14, 0}))
				e.VPERMT2Q(words[1], order, words[0])
				e.VMOVUPS(words[0], at(dst, 2*i))
			}
		}
		e.ADDQ(operand.U32(8*asm.Panel), src)
		e.ADDQ(operand.I8(4*asm.Panel), dst)
	})
	e.end()
}

// roundPanelBF16 generates the rounding of the weights of a panel.
func (e *emitter) roundPanelBF16() {
	e.function(decl.RoundPanelBF16)
	e.schedule(schedule{inFlight: 2, constants: 5}, schedule{inFlight: 2, constants: 6})
	dst, src, quads := e.arg("dst"), e.arg("src"), e.arg("quads")
	e.times(quads, func() {
		e.Comment("four inputs of 16 outputs")
		for word := 0; word < 2*wordBytes; word += e.bytes {
			var halves [2]reg.VecVirtual
			e.interleave(2, func(half int) {
				halves[half] = e.rounded(e.loaded(at(src, word+half*2*wordBytes)))
			})
			e.VPSRLD(operand.U8(16), halves[1], halves[1])
			e.VORPS(halves[1], halves[0], halves[0])
			e.VMOVUPS(halves[0], at(dst, word))
		}
		e.ADDQ(operand.U32(4*wordBytes), src)
		e.ADDQ(operand.U32(2*wordBytes), dst)
	})
	e.end()
}

// rounded returns x rounded to bfloat16: its bits plus almost half of the last place that remains, and
// plus that place. It overwrites x.
func (e *emitter) rounded(x reg.VecVirtual) reg.VecVirtual {
	const (
		almostHalf, quiet = 0x7fff, 0x7fc00000
		unordered         = 3 // predicate of VCMPPS
	)
	r, a := e.vec(), e.vec()
	e.VPSLLD(operand.U8(15), x, r)
	e.VPSRLD(operand.U8(31), r, r)
	e.VPADDD(x, r, r)
	e.VPADDD(e.bits("almostHalf", almostHalf), r, r)
	e.VANDPS(e.bits("upperHalf", upperHalf), r, r)
	r = e.choose(e.compare(unordered, x, x), e.bits("quiet", quiet), r)
	e.VANDPS(e.bits("absBits", ^uint32(asm.SignBit)), x, a)
	e.zeroBelow(r, a, e.float("bf16Least", bf16Least))
	return r
}

// bf16Least is the smallest magnitude that is not rounded to 0.
const bf16Least = 0x1p-56
