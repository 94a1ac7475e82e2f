package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// BF16 generates the products of bfloat16 by fma of values widened to float32, and the conversions.
func BF16(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.gemmWidened(decl.GemmWidened, 1)
	if e.tilePanels > 1 {
		e.gemmWidened(decl.GemmWideWidened, e.tilePanels)
	}
	e.widenBF16()
	e.gatherWidened()
	e.gatherBF16()
	e.roundBF16()
	e.roundPanelBF16()
}

// BF16Pairs generates the products of bfloat16 with VDPBF16PS.
func BF16Pairs(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.gemmPairs(decl.GemmBF16Pairs, 1)
	e.gemmPairs(decl.GemmWideBF16Pairs, e.tilePanels)
}

const (
	wordBytes  = 4 * asm.Panel // words of a panel for two inputs
	blockPairs = 8             // words of a block with even inputs, and as many with odd ones
	upperHalf  = 0xffff0000
)

// A bf16Tile is the operands of a product whose sums of a block are in registers. Distances are in
// bytes.
type bf16Tile struct{ tile }

func (e *emitter) bf16Tile(panels int) bf16Tile {
	t := bf16Tile{tile{
		e: e, vectors: panels * asm.Panel / e.lanes, c: e.arg("c"), x: e.arg("x"),
		xRow: e.inBytes("xRow"), stride: e.inBytes("stride"),
	}}
	t.odd = e.oddMultiples(t.xRow, e.tileRows)
	return t
}

// gemmPairs generates the product of rows of x with panels of weights by VDPBF16PS.
func (e *emitter) gemmPairs(d decl.Func, panels int) {
	e.function(d)
	t := e.bf16Tile(panels)
	t.allRows(d.Name, func(rows int) { t.emit(rows, t.blockOfPairs) })
	e.endBF16(t.vectors)
}

// gemmWidened generates the product by fma. A tile has as many registers for sums as in float32: they sum the
// even inputs, move to the stack, and sum the odd ones.
func (e *emitter) gemmWidened(d decl.Func, panels int) {
	e.function(d)
	e.Attributes(0) // not NOSPLIT: the stack may have to grow for the sums
	e.schedule(schedule{constants: 1}, schedule{constants: 1})
	t := e.bf16Tile(panels)
	saved := e.AllocLocal((e.tileRows*t.vectors + 1) * e.bytes)
	t.allRows(d.Name, func(rows int) {
		t.emit(rows, func(rows int, x, w reg.GPVirtual) { t.widenedBlock(rows, x, w, saved) })
	})
	e.endBF16(t.vectors)
}

func (e *emitter) endBF16(vectors int) {
	e.schedule(schedule{inFlight: 2, constants: 0}, schedule{inFlight: 2, constants: 12})
	e.addBias(vectors)
	e.activateRows(vectors)
	e.end()
}

// eachResult emits code for every vector of results of a tile. result emits nothing but that for one
// vector.
func (t bf16Tile) eachResult(rows int, result func(r, v int, m operand.Mem)) {
	e := t.e
	next, ldc, p := e.inBytes("next"), e.inBytes("ldc"), e.GP64()
	e.MOVQ(t.c, p)
	for r := range rows {
		for v := range t.vectors {
			result(r, v, e.inPanel(p, next, v))
		}
		if r < rows-1 {
			e.ADDQ(ldc, p)
		}
	}
}

// emit computes a tile at c and x by block, which adds a block to c and advances x and w to the next. It
// then advances c and x.
func (t bf16Tile) emit(rows int, block func(rows int, x, w reg.GPVirtual)) {
	e := t.e
	e.Commentf("tile: %s × %s", count(rows, "row"), count(t.vectors*e.lanes/asm.Panel, "panel"))
	begun := e.label("begun")
	add := e.arg("add")
	e.TESTQ(add, add)
	e.JNZ(operand.LabelRef(begun))
	e.Comment("add is 0: begin with +0")
	zero := e.zero()
	t.eachResult(rows, func(_, _ int, m operand.Mem) { e.VMOVUPS(zero, m) })
	e.Label(begun)
	x, w, blocks := e.GP64(), e.arg("w"), e.arg("blocks")
	e.MOVQ(t.x, x)
	e.times(blocks, func() { block(rows, x, w) })
	e.Comment("advance to the next rows")
	ldc := e.inBytes("ldc")
	skipC, skipX := e.multiple(ldc, rows), e.multiple(t.xRow, rows)
	e.ADDQ(skipC, t.c)
	e.ADDQ(skipX, t.x)
}

// blockOfPairs adds a block to c. The even and the odd sums are in registers together.
func (t bf16Tile) blockOfPairs(rows int, x, w reg.GPVirtual) {
	e := t.e
	e.Comment("a block: even = odd = +0")
	even, odd := grid(rows, t.vectors, e.zero), grid(rows, t.vectors, e.zero)
	pairs, xCol := e.GP64(), e.inBytes("xCol")
	e.MOVQ(operand.U32(blockPairs), pairs)
	e.times(pairs, func() {
		for i, sums := range [][][]reg.VecVirtual{even, odd} {
			e.Commentf("%s: %d sums, %d weights, 1 element of x", []string{"even", "odd"}[i], rows*t.vectors, t.vectors)
			t.addPairs(x, w, sums)
			t.prefetch(w)
			e.ADDQ(operand.I8(wordBytes), w)
			e.ADDQ(xCol, x)
		}
	})
	e.Comment("c += even + odd")
	t.eachResult(rows, func(r, v int, m operand.Mem) {
		e.VADDPS(odd[r][v], even[r][v], even[r][v])
		e.VADDPS(m, even[r][v], even[r][v])
		e.VMOVUPS(even[r][v], m)
	})
}

// prefetch prefetches the weights that follow those at w.
func (t bf16Tile) prefetch(w reg.GPVirtual) {
	e := t.e
	for v := 0; v < t.vectors; v += asm.Panel / e.lanes {
		e.PREFETCHT0(e.inPanel(w, t.stride, v).Offset(prefetchBytes))
	}
}

// widenedBlock adds a block to c. saved is room for a vector more than there are sums, so that they can
// start at a multiple of its size.
func (t bf16Tile) widenedBlock(rows int, x, w reg.GPVirtual, saved operand.Mem) {
	e := t.e
	start := func() reg.GPVirtual {
		p := e.GP64()
		e.LEAQ(saved.Offset(e.bytes-1), p)
		e.ANDQ(operand.I8(-e.bytes), p)
		return p
	}
	e.Commentf("the even inputs of a block: %d sums, %d weights, 1 element of x", rows*t.vectors, t.vectors)
	even := t.chains(rows, x, w)
	p := start()
	for r := range even {
		for v := range even[r] {
			e.VMOVAPS(even[r][v], at(p, (r*t.vectors+v)*e.bytes))
		}
	}
	e.Comment("the odd inputs")
	e.SUBQ(operand.I32((2*blockPairs-1)*wordBytes), w)
	odd := t.chains(rows, x, w)
	e.SUBQ(operand.I8(wordBytes), w)
	e.Comment("c += even + odd")
	p = start()
	t.eachResult(rows, func(r, v int, m operand.Mem) {
		e.VADDPS(at(p, (r*t.vectors+v)*e.bytes), odd[r][v], odd[r][v])
		e.VADDPS(m, odd[r][v], odd[r][v])
		e.VMOVUPS(odd[r][v], m)
	})
}

// chains returns the sums of 16 values of x with the halves of every second word of the weights, from +0.
func (t bf16Tile) chains(rows int, x, w reg.GPVirtual) [][]reg.VecVirtual {
	e := t.e
	sums := grid(rows, t.vectors, e.zero)
	pairs, xCol := e.GP64(), e.inBytes("xCol")
	e.MOVQ(operand.U32(blockPairs), pairs)
	e.times(pairs, func() {
		upper := e.bits("upperHalf", upperHalf)
		for _, widen := range []func(m operand.Mem, w reg.VecVirtual){
			func(m operand.Mem, w reg.VecVirtual) { e.VANDPS(m, upper, w) },
			t.lowerHalf,
		} {
			weights := make([]reg.VecVirtual, t.vectors)
			for v := range weights {
				weights[v] = e.vec()
				widen(e.inPanel(w, t.stride, v), weights[v])
			}
			for r := range sums {
				b := e.vec()
				e.VBROADCASTSS(t.row(x, r), b)
				for v := range weights {
					e.VFMADD231PS(weights[v], b, sums[r][v])
				}
			}
			e.ADDQ(xCol, x)
		}
		t.prefetch(w)
		e.ADDQ(operand.U32(2*wordBytes), w)
	})
	return sums
}

// lowerHalf sets w to the lower halves of the words at m, widened.
func (t bf16Tile) lowerHalf(m operand.Mem, w reg.VecVirtual) {
	e := t.e
	if e.wide() {
		e.VPSLLD(operand.U8(16), m, w)
		return
	}
	e.VMOVUPS(m, w)
	e.VPSLLD(operand.U8(16), w, w)
}

// addPairs adds the products of the upper halves of words, then of the lower halves, by one
// instruction.
func (t bf16Tile) addPairs(x, w reg.GPVirtual, sums [][]reg.VecVirtual) {
	e := t.e
	weights := make([]reg.VecVirtual, t.vectors)
	for v := range weights {
		weights[v] = e.loaded(e.inPanel(w, t.stride, v))
	}
	for r := range sums {
		b := e.vec()
		e.VBROADCASTSS(t.row(x, r), b)
		for v := range weights {
			e.addPair(b, weights[v], sums[r][v])
		}
	}
}

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

// widenBF16 generates the widening of a row. Of the words of four values each 128 bits of a result take the
// first and the third, or the second and the fourth: the upper half, then the lower.
func (e *emitter) widenBF16() {
	const none = 0x80 // a byte of zeros
	e.function(decl.WidenBF16)
	dst, src, blocks := e.arg("dst"), e.arg("src"), e.arg("blocks")
	var orders [2]operand.Mem
	for odd := range uint32(2) {
		var order []uint32
		for range e.lanes / 4 {
			for word := odd; word < 4; word += 2 {
				first := 4 * word // its bytes: the lower half, then the upper
				order = append(order, none|none<<8|(first+2)<<16|(first+3)<<24, none|none<<8|first<<16|(first+1)<<24)
			}
		}
		orders[odd] = e.words([]string{"evenWords", "oddWords"}[odd], order)
	}
	even, odd := e.loaded(orders[0]), e.loaded(orders[1])
	e.times(blocks, func() {
		e.Comment("a block: the even inputs, then the odd ones")
		for i := 0; i < asm.Panel; i += e.lanes {
			words, result := e.loaded(at(src, 4*i)), e.vec()
			e.VPSHUFB(even, words, result)
			e.VPSHUFB(odd, words, words)
			e.VMOVUPS(result, at(dst, 4*i))
			e.VMOVUPS(words, at(dst, wordBytes+4*i))
		}
		e.ADDQ(operand.I8(wordBytes), src)
		e.ADDQ(operand.U32(2*wordBytes), dst)
	})
	e.end()
}

// rowOrder is the order of the values in the words of a row: these hold values 4q and 4q+2, 4q+1 and
// 4q+3, the upper half first, so their values are in the order 2, 0, 3, 1.
const rowOrder = 1 | 3<<2 | 0<<4 | 2<<6

// lowerHalves loads 16 values of a row to the lower halves of words.
func (e *emitter) lowerHalves(src reg.GPVirtual) (row []reg.VecVirtual) {
	for v := range asm.Panel / e.lanes {
		w := e.vec()
		e.VPMOVZXWD(at(src, v*e.bytes/2), w)
		e.VPSHUFD(operand.U8(rowOrder), w, w)
		row = append(row, w)
	}
	return row
}

// gatherWidened generates the widening of 16 values of every row.
func (e *emitter) gatherWidened() {
	e.function(decl.GatherWidened)
	dst, src, stride, rows := e.arg("dst"), e.arg("src"), e.inBytes("stride"), e.arg("rows")
	e.times(rows, func() {
		for v, w := range e.lowerHalves(src) {
			e.VPSLLD(operand.U8(16), w, w)
			e.VMOVUPS(w, at(dst, v*e.bytes))
		}
		e.ADDQ(stride, src)
		e.ADDQ(operand.I8(wordBytes), dst)
	})
	e.end()
}

// gatherBF16 generates the interleaving of rows.
func (e *emitter) gatherBF16() {
	e.function(decl.GatherBF16)
	dst, src, stride, quads := e.arg("dst"), e.arg("src"), e.inBytes("stride"), e.arg("quads")
	e.times(quads, func() {
		e.Comment("four rows of 16 values")
		var rows [4][]reg.VecVirtual
		for i := range rows {
			rows[i] = e.lowerHalves(src)
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
	e.clip(e.compare(notLessThan, a, e.float("bf16Least", bf16Least)), r)
	return r
}

// bf16Least is the smallest magnitude that is not rounded to 0.
const bf16Least = 0x1p-56
