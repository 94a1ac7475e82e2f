package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// Tiles generates the products of bfloat16 with AMX, and the conversions of their operands.
func Tiles(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.gemmTiles(decl.GemmTiles, 1)
	e.gemmTiles(decl.GemmWideTiles, 2)
	e.reorderPanel()
	e.reorderRows()
	e.anyTiny()
}

const (
	tileHeight = 16                     // rows of a tile
	tileBytes  = tileHeight * wordBytes // of a block
	configured = 64                     // bytes of a configuration
	firstA     = 4                      // tiles 0 to 3 are sums, 4 and 5 of x, 6 and 7 of weights
	firstB     = 6
)

// A tileProduct is the operands of a product of tiles. Distances are in bytes.
type tileProduct struct {
	*emitter
	panels                  int
	c, next, ldc, x, height reg.GPVirtual // height is the distance between tiles of x
}

// gemmTiles generates a product of two tiles of rows at a time, which share the weights. The tiles are
// configured and released in one call: the scheduler of Go does not preempt assembly, and knows nothing of
// tiles.
func (e *emitter) gemmTiles(d decl.Func, panels int) {
	e.function(d)
	t := tileProduct{emitter: e, panels: panels, c: e.arg("c"), next: e.inBytes("next"), ldc: e.inBytes("ldc"), x: e.arg("x"), height: e.arg("blocks")}
	e.SHLQ(operand.U8(10), t.height) // tileBytes
	rows, config := e.arg("rows"), e.arg("config")
	pairs, last, one, done := d.Name+"_pairs", d.Name+"_last", d.Name+"_one", d.Name+"_done"
	e.CMPQ(rows, operand.I8(2*tileHeight))
	e.JLT(operand.LabelRef(last))
	e.amx("LDTILECFG", at(config, 0))
	e.Label(pairs)
	e.Comment("tiles of 32 rows")
	t.emit(2)
	e.SUBQ(operand.I8(2*tileHeight), rows)
	e.CMPQ(rows, operand.I8(2*tileHeight))
	e.JGE(operand.LabelRef(pairs))
	e.TESTQ(rows, rows)
	e.JZ(operand.LabelRef(done))
	e.Label(last)
	e.amx("LDTILECFG", at(config, configured))
	e.CMPQ(rows, operand.I8(tileHeight))
	e.JLE(operand.LabelRef(one))
	e.Comment("tiles of 17 to 31 rows")
	t.emit(2)
	e.JMP(operand.LabelRef(done))
	e.Label(one)
	e.Comment("a tile of 1 to 16 rows")
	t.emit(1)
	e.Label(done)
	e.amx("TILERELEASE")
	e.schedule(schedule{}, schedule{inFlight: 2, constants: 12})
	e.addBias(panels)
	e.activateRows(panels)
	e.end()
}

// emit computes one or two tiles of rows at c and x, then advances both.
func (t tileProduct) emit(heights int) {
	zero, begun := t.label("zero"), t.label("begun")
	add := t.arg("add")
	t.TESTQ(add, add)
	t.JZ(operand.LabelRef(zero))
	t.eachSum(heights, func(sum operand.Op, m operand.Mem) { t.amx("TILELOADD", m, sum) })
	t.JMP(operand.LabelRef(begun))
	t.Label(zero)
	t.Comment("add is 0: begin with +0")
	for i := range heights {
		for p := range t.panels {
			t.amx("TILEZERO", tileRegister(2*i+p))
		}
	}
	t.Label(begun)
	row, x, w, stride, blocks := t.GP64(), t.GP64(), t.arg("w"), t.inBytes("stride"), t.arg("blocks")
	t.MOVQ(operand.U32(wordBytes), row)
	t.MOVQ(t.x, x)
	lower := t.below(x, t.height, heights)
	right := t.below(w, stride, t.panels)
	t.times(blocks, func() {
		t.Comment("a block")
		for p, from := range right {
			t.amx("TILELOADD", indexed(from, row, 1), tileRegister(firstB+p))
		}
		for i, from := range lower {
			t.amx("TILELOADD", indexed(from, row, 1), tileRegister(firstA+i))
			for p := range right {
				t.amx("TDPBF16PS", tileRegister(firstB+p), tileRegister(firstA+i), tileRegister(2*i+p))
			}
		}
		for _, from := range append(lower, right...) {
			t.ADDQ(operand.U32(tileBytes), from)
		}
	})
	t.eachSum(heights, func(sum operand.Op, m operand.Mem) { t.amx("TILESTORED", sum, m) })
	t.Comment("advance to the next rows")
	for range heights {
		t.ADDQ(t.height, t.x)
	}
	skip := t.GP64()
	t.IMUL3Q(operand.U32(heights*tileHeight), t.ldc, skip)
	t.ADDQ(skip, t.c)
}

// below returns registers with n addresses that start at first, a distance apart.
func (t tileProduct) below(first, distance reg.GPVirtual, n int) []reg.GPVirtual {
	list := []reg.GPVirtual{first}
	for len(list) < n {
		next := t.GP64()
		t.LEAQ(indexed(list[len(list)-1], distance, 1), next)
		list = append(list, next)
	}
	return list
}

// eachSum emits code for every tile of sums.
func (t tileProduct) eachSum(heights int, sum func(sum operand.Op, m operand.Mem)) {
	c := t.GP64()
	t.MOVQ(t.c, c)
	for i := range heights {
		for p, from := range t.below(c, t.next, t.panels) {
			sum(tileRegister(2*i+p), indexed(from, t.ldc, 1))
		}
		if i < heights-1 {
			skip := t.GP64()
			t.IMUL3Q(operand.U32(tileHeight), t.ldc, skip)
			t.ADDQ(skip, c)
		}
	}
}

// Selections of VPTERNLOGD between the destination and the second source, by the bits of the first.
const (
	secondWhereSet   = 0xd8
	secondWhereClear = 0xe4
)

// reorderPanel generates the conversion of the words of a panel: the halves of two words change places.
func (e *emitter) reorderPanel() {
	e.function(decl.TilePanel)
	e.schedule(schedule{}, schedule{inFlight: 2, constants: 1})
	dst, src, blocks := e.arg("dst"), e.arg("src"), e.arg("blocks")
	e.times(blocks, func() {
		e.Comment("16 words of 16 outputs")
		for word := 0; word < tileBytes; word += 2 * wordBytes {
			mask := e.bits("upperHalf", upperHalf)
			even, odd := e.loaded(at(src, word)), e.loaded(at(src, word+wordBytes))
			first, second := e.vec(), e.vec()
			e.VPSRLD(operand.U8(16), even, first)
			e.VPTERNLOGD(operand.U8(secondWhereSet), mask, odd, first)
			e.VPSLLD(operand.U8(16), odd, second)
			e.VPTERNLOGD(operand.U8(secondWhereClear), mask, even, second)
			e.VMOVUPS(first, at(dst, word))
			e.VMOVUPS(second, at(dst, word+wordBytes))
		}
		e.ADDQ(operand.U32(tileBytes), src)
		e.ADDQ(operand.U32(tileBytes), dst)
	})
	e.end()
}

// reorderRows generates the same conversion of rows, whose two words are adjacent.
func (e *emitter) reorderRows() {
	e.function(decl.TileRows)
	var order []uint32 // of the bytes of two words in 128 bits: inputs 2, 0, 3, 1 become 0, 1, 2, 3
	for range 4 {
		order = append(order, 0x07060302, 0x05040100, 0x0f0e0b0a, 0x0d0c0908)
	}
	e.schedule(schedule{}, schedule{inFlight: 2, constants: 1})
	dst, src, stride, rows, blocks := e.arg("dst"), e.arg("src"), e.inBytes("stride"), e.arg("rows"), e.arg("blocks")
	e.times(rows, func() {
		from, to, n := e.GP64(), e.GP64(), e.GP64()
		e.MOVQ(src, from)
		e.MOVQ(dst, to)
		e.MOVQ(blocks, n)
		e.times(n, func() {
			words := e.loaded(at(from, 0))
			e.VPSHUFB(e.loop.pin(e.words("inOrder", order), e.vec), words, words)
			e.VMOVUPS(words, at(to, 0))
			e.ADDQ(operand.I8(wordBytes), from)
			e.ADDQ(operand.U32(tileBytes), to)
		})
		e.ADDQ(stride, src)
		e.ADDQ(operand.I8(wordBytes), dst)
	})
	e.end()
}

// anyTiny generates the search for values whose sums AMX can flush. Without its sign, less 1 and as an integer,
// 0 is the largest.
func (e *emitter) anyTiny() {
	const one, tiny, below = 1, (127 - 103) << 24, 1 // twice the bits of 2⁻¹⁰³
	e.function(decl.AnyTiny)
	e.schedule(schedule{}, schedule{inFlight: 2, constants: 1})
	c, ldc, rows := e.arg("c"), e.inBytes("ldc"), e.arg("rows")
	least := e.vec()
	e.VPTERNLOGD(operand.U8(0xff), least, least, least)
	e.times(rows, func() {
		v := e.loaded(at(c, 0))
		e.VPADDD(v, v, v)
		e.VPSUBD(e.bits("integerOne", one), v, v)
		e.VPMINUD(v, least, least)
		e.ADDQ(ldc, c)
	})
	found, any := e.K(), e.GP32()
	e.VPCMPUD(operand.U8(below), e.bits("tiny", tiny-1), least, found)
	e.KMOVW(found, any)
	result := e.GP64()
	e.XORQ(result, result)
	e.TESTL(any, any)
	e.SETNE(result.As8())
	e.Store(result, e.ReturnIndex(0))
	e.end()
}
