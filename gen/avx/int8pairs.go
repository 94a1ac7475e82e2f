package avx

import (
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// The products of int8 for AVX2, by VPMADDWD, which multiplies int16 and adds pairs of products. A word
// of 16 bits holds the weights of two inputs, an even one in its low byte and an odd one in its high
// byte, so shifts extract both without moving them to other lanes.
//
// The product of rows takes two products with one multiplication (S. Winograd, "A new algorithm for
// inner product", IEEE Transactions on Computers C-17, 1968):
//
//	x0·w0 + x1·w1 = (x0 + w1)·(x1 + w0) - x0·x1 - w0·w1
//
// The sums of x0·x1 belong to a row, the sums of w0·w1 to an output, so each is computed once for
// all products with it. Integers wrap around, which leaves the result exact.
//
// The ways known to be exact take four vector instructions for 32 multiply-adds, like float32, so
// they gain by the ports that add integers but multiply nothing. Of these four, one multiplies here, two do
// with VPMADDWD of the inputs themselves (on a Zen 4 8 % slower with 12 rows), and three run on the ports of
// products with |w|·sign(x, w) by VPSIGNB, VPMADDUBSW and VPMADDWD (10 % slower with 12 rows, 25 % with 80). The
// bound is 32 multiply-adds a cycle on four ports, 24 on three; float32 has 16.

// The scratch of the product of rows, in bytes: sums of products of adjacent weights of each panel, those
// of adjacent x of each row, the rows of a tile, and the weights. Even inputs of a row, or of a vector
// of outputs, come before odd ones.
const (
	pairRows    = 4                               // of a register tile
	pairQuads   = 64                              // maximum depth
	pairHalf    = 4 * pairQuads                   // even or odd inputs of a row
	rowSums     = 3 * 4 * asm.Panel               // offset of the sums of the rows
	rowInputs   = rowSums + 64                    // offset of the rows
	pairWeights = rowInputs + 2*pairRows*pairHalf // offset of the weights
	pairBytes   = 2 * quadBytes                   // weights of a panel for four inputs
	scaledQuads = 127                             // the sum of 4·2²⁴ of 127 groups fits int32
	oddBytes    = 0xff00ff00
)

// A pairTile is the operands of a product of rows.
type pairTile struct {
	tile
	acc, wide reg.GPVirtual
}

// gemmInt8Pairs generates the product of rows of x with panels of weights.
func (e *emitter) gemmInt8Pairs() {
	d := decl.GemmInt8Pairs
	e.function(d)
	e.splitWeights()
	t := pairTile{
		tile: tile{e: e, vectors: asm.Panel / e.lanes, x: e.arg("x"), xRow: e.arg("xStride")},
		acc:  e.arg("acc"), wide: e.arg("wide"),
	}
	t.odd = append(t.odd, e.multiple(t.xRow, 3))
	e.tilesOfRows(d.Name, pairRows, func(r int) {
		e.Commentf("tile: %s", count(r, "row"))
		t.splitRows(r)
		t.allPanels(r)
		skip := e.multiple(t.xRow, r)
		e.ADDQ(skip, t.x)
		e.ADDQ(operand.U32(r*int8Ld), t.acc)
	})
	e.end()
}

// splitInputs sets even to the even inputs of the words of v, and v to the odd ones.
func (e *emitter) splitInputs(v, even reg.VecVirtual) {
	e.VPSLLW(operand.U8(8), v, even)
	e.VPSRAW(operand.U8(8), v, v)
	e.VPSRAW(operand.U8(8), even, even)
}

// splitWeights copies the weights of all panels to the scratch as int16, and subtracts from 0 the
// products of adjacent ones.
func (e *emitter) splitWeights() {
	w, stride, sums, wide, panels := e.arg("w"), e.arg("stride"), e.arg("wide"), e.GP64(), e.arg("panels")
	e.LEAQ(at(sums, pairWeights), wide)
	e.times(panels, func() {
		from, k := e.GP64(), e.arg("quads")
		e.MOVQ(w, from)
		acc := []reg.VecVirtual{e.zero(), e.zero()}
		e.times(k, func() {
			e.Comment("wide = w, sums -= w[k]·w[k+1], four k")
			for v := range acc {
				odd, p, even := e.YMM(), e.YMM(), e.YMM()
				e.VMOVDQU(at(from, v*e.bytes), odd)
				e.splitInputs(odd, even)
				e.VMOVDQU(even, at(wide, 2*v*e.bytes))
				e.VMOVDQU(odd, at(wide, (2*v+1)*e.bytes))
				e.VPMADDWD(even, odd, p)
				e.VPSUBD(p, acc[v], acc[v])
			}
			e.ADDQ(operand.I8(quadBytes), from)
			e.ADDQ(operand.U32(pairBytes), wide)
		})
		for v := range acc {
			e.VMOVDQU(acc[v], at(sums, v*e.bytes))
		}
		e.ADDQ(operand.I8(4*asm.Panel), sums)
		e.ADDQ(stride, w)
	})
}

// splitRows copies rows of x to the scratch as int16, and subtracts from 0 the products of adjacent
// inputs. It reads whole groups of 16.
func (t pairTile) splitRows(rows int) {
	e := t.e
	x, wide, n := e.GP64(), e.GP64(), e.arg("quads")
	e.MOVQ(t.x, x)
	e.MOVQ(t.wide, wide)
	e.ADDQ(operand.I8(3), n)
	e.SHRQ(operand.U8(2), n)
	acc := make([]reg.Register, rows)
	for r := range acc {
		v := e.XMM()
		e.VPXOR(v, v, v)
		acc[r] = v
	}
	e.times(n, func() {
		e.Comment("wide = x, sums -= x[k]·x[k+1], 16 k")
		for r := range acc {
			words, even := e.XMM(), e.XMM()
			e.VMOVDQU(t.row(x, r), words)
			e.splitInputs(words, even)
			e.VMOVDQU(even, at(wide, rowInputs+2*r*pairHalf))
			e.VMOVDQU(words, at(wide, rowInputs+(2*r+1)*pairHalf))
			e.VPMADDWD(even, words, even)
			e.VPSUBD(even, acc[r], acc[r])
		}
		e.ADDQ(operand.I8(16), x)
		e.ADDQ(operand.I8(16), wide)
	})
	for r, v := range acc {
		e.VPHADDD(v, v, v)
		e.VPHADDD(v, v, v)
		e.VMOVD(v, at(t.wide, rowSums+4*r))
	}
}

// allPanels computes a tile of rows for every panel.
func (t pairTile) allPanels(rows int) {
	e := t.e
	acc, sums, w, ahead, panels := e.GP64(), e.GP64(), e.GP64(), e.arg("w"), e.arg("panels")
	e.MOVQ(t.acc, acc)
	e.MOVQ(t.wide, sums)
	e.LEAQ(at(t.wide, pairWeights), w)
	e.Comment("ahead: the weights after these")
	behind := e.arg("quads")
	e.SHLQ(operand.U8(bits.TrailingZeros(quadBytes)), behind)
	e.ADDQ(behind, ahead)
	e.times(panels, func() {
		result := func(r, v int) operand.Mem { return at(acc, r*int8Ld+v*e.bytes) }
		chains := t.beginPairs(rows, sums, result)
		t.addProducts(chains, w, ahead)
		for r := range chains {
			for v := range chains[r] {
				e.VMOVDQU(chains[r][v], result(r, v))
			}
		}
		e.ADDQ(operand.I8(4*asm.Panel), acc)
		e.ADDQ(operand.I8(4*asm.Panel), sums)
		stride, behind := e.arg("stride"), e.arg("quads")
		e.SHLQ(operand.U8(bits.TrailingZeros(quadBytes)), behind)
		e.SUBQ(behind, stride)
		e.ADDQ(stride, ahead)
	})
}

// beginPairs returns what the sums of one panel begin with.
func (t pairTile) beginPairs(rows int, sums reg.GPVirtual, result func(r, v int) operand.Mem) [][]reg.VecVirtual {
	e := t.e
	chains := make([][]reg.VecVirtual, rows)
	for r := range chains {
		for v := range t.vectors {
			chains[r] = append(chains[r], e.YMM())
			if v == 0 {
				e.VPBROADCASTD(at(t.wide, rowSums+4*r), chains[r][v])
			} else {
				e.VMOVDQA(chains[r][0], chains[r][v])
			}
		}
		for v := range t.vectors {
			e.VPADDD(at(sums, v*e.bytes), chains[r][v], chains[r][v])
		}
	}
	add, begun := e.arg("add"), e.label("begun")
	e.TESTQ(add, add)
	e.JZ(operand.LabelRef(begun))
	e.Comment("add to the old sums")
	for r := range chains {
		for v := range chains[r] {
			e.VPADDD(result(r, v), chains[r][v], chains[r][v])
		}
	}
	e.Label(begun)
	return chains
}

// addProducts adds the products of one panel, whose weights it passes.
func (t pairTile) addProducts(chains [][]reg.VecVirtual, w, ahead reg.GPVirtual) {
	e := t.e
	x, k := e.GP64(), e.arg("quads")
	e.MOVQ(t.wide, x)
	e.times(k, func() {
		e.Comment("chains[r] += (x[r][k] + w[k+1])·(x[r][k+1] + w[k]), four k")
		even, odd := make([]reg.VecVirtual, t.vectors), make([]reg.VecVirtual, t.vectors)
		for v := range even {
			even[v], odd[v] = e.loaded(at(w, 2*v*e.bytes)), e.loaded(at(w, (2*v+1)*e.bytes))
		}
		for r := range chains {
			evenX, oddX, a, b := e.YMM(), e.YMM(), e.YMM(), e.YMM()
			e.VPBROADCASTD(at(x, rowInputs+2*r*pairHalf), evenX)
			e.VPBROADCASTD(at(x, rowInputs+(2*r+1)*pairHalf), oddX)
			e.VPADDW(odd[0], evenX, a)
			e.VPADDW(even[0], oddX, b)
			e.VPMADDWD(a, b, a)
			e.VPADDW(odd[1], evenX, evenX)
			e.VPADDW(even[1], oddX, oddX)
			e.VPADDD(a, chains[r][0], chains[r][0])
			e.VPMADDWD(evenX, oddX, evenX)
			e.VPADDD(evenX, chains[r][1], chains[r][1])
		}
		e.PREFETCHT1(at(ahead, 0))
		e.ADDQ(operand.I8(quadBytes), ahead)
		e.ADDQ(operand.U32(pairBytes), w)
		e.ADDQ(operand.I8(4), x)
	})
}

// gemvInt8Scaled generates the product of one row. It leaves weights at 256 times their value, which
// takes one instruction less for each of them than to extend their sign, and divides sums of few
// products by 256.
func (e *emitter) gemvInt8Scaled() {
	e.function(decl.GemvInt8Scaled)
	e.arrangeRow()
	acc, x, w, stride, panels := e.arg("acc"), e.arg("wide"), e.arg("w"), e.arg("stride"), e.arg("panels")
	high := e.loaded(e.repeated("high", oddBytes))
	last := e.GP64()
	e.LEAQ(at(panels, -1), last)
	e.IMULQ(stride, last)
	e.ADDQ(w, last)
	e.times(panels, func() {
		xk, wk, left := e.GP64(), e.GP64(), e.arg("quads")
		e.MOVQ(x, xk)
		e.MOVQ(w, wk)
		e.Comment("prefetch far ahead, but not beyond the last panel: each line of an unmapped page costs a lookup")
		ahead, most := e.GP64(), e.GP64()
		e.MOVQ(last, ahead)
		e.SUBQ(w, ahead)
		e.MOVQ(operand.U32(prefetchFar), most)
		e.CMPQ(ahead, most)
		e.CMOVQGT(most, ahead)
		sums := []reg.VecVirtual{e.zero(), e.zero()}
		span := e.label("span")
		e.Label(span)
		scaled := []reg.VecVirtual{e.zero(), e.zero()}
		k := e.GP64()
		e.MOVQ(operand.U32(scaledQuads), k)
		e.CMPQ(left, k)
		e.CMOVQLT(left, k)
		e.SUBQ(k, left)
		e.times(k, func() {
			e.Comment("scaled += x[k]·256·w[k], four k")
			even, odd := e.YMM(), e.YMM()
			e.VPBROADCASTD(at(xk, 0), even)
			e.VPBROADCASTD(at(xk, 4), odd)
			for v := range scaled {
				words, h := e.YMM(), e.YMM()
				e.VMOVDQU(at(wk, v*e.bytes), words)
				e.VPAND(words, high, h)
				e.VPSLLW(operand.U8(8), words, words)
				e.VPMADDWD(words, even, words)
				e.VPMADDWD(h, odd, h)
				e.VPADDD(words, h, words)
				e.VPADDD(words, scaled[v], scaled[v])
			}
			e.PREFETCHT1(indexed(wk, ahead, 1))
			e.ADDQ(operand.I8(quadBytes), wk)
			e.ADDQ(operand.I8(8), xk)
		})
		for v := range sums {
			e.VPSRAD(operand.U8(8), scaled[v], scaled[v])
			e.VPADDD(scaled[v], sums[v], sums[v])
		}
		e.TESTQ(left, left)
		e.JNZ(operand.LabelRef(span))
		e.Comment("store the panel, advance to the next")
		for v, s := range sums {
			e.VMOVDQU(s, at(acc, v*e.bytes))
		}
		e.ADDQ(stride, w)
		e.ADDQ(operand.I8(4*asm.Panel), acc)
	})
	e.end()
}

// arrangeRow copies x to the scratch as int16: of each four inputs the even ones come first. It reads
// whole groups of 16.
func (e *emitter) arrangeRow() {
	x, wide, n := e.arg("x"), e.arg("wide"), e.arg("quads")
	e.ADDQ(operand.I8(3), n)
	e.SHRQ(operand.U8(2), n)
	e.times(n, func() {
		e.Comment("wide = x, 16 k")
		odd, even, words := e.XMM(), e.XMM(), e.XMM()
		e.VMOVDQU(at(x, 0), odd)
		e.splitInputs(odd, even)
		e.VPUNPCKLDQ(odd, even, words)
		e.VMOVDQU(words, at(wide, 0))
		e.VPUNPCKHDQ(odd, even, words)
		e.VMOVDQU(words, at(wide, 16))
		e.ADDQ(operand.I8(16), x)
		e.ADDQ(operand.I8(32), wide)
	})
}
