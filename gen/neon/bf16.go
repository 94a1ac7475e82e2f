package neon

import (
	"math"

	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// BF16 generates the products of bfloat16 by fma of the halves of words widened to float32, and by BFMLALT
// and BFMLALB, and the conversions.
func BF16(file *a64.File) {
	e := newEmitter(file)
	e.gemmBF16(decl.GemmBF16, bf16Tile.addWidened)
	e.gemmBF16(decl.GemmBF16Long, bf16Tile.addLong)
	e.gatherBF16()
	e.roundBF16()
	e.roundPanelBF16()
}

const (
	bf16TileRows = 3 // 3·4·2 registers of sums, 3 elements of x and 4 weights
	blockPairs   = 8 // words of a block with even inputs, and as many with odd ones
	upperHalf    = 0xffff0000
	bf16Least    = 0x1p-56 // the smallest magnitude that is not rounded to 0
)

// A bf16Tile is the operands of a product whose sums of a block are in registers: for each vector of each
// row, a sum of the even inputs and one of the odd. Distances are in bytes; xRow[r] spans r ≥ 1 rows.
type bf16Tile struct {
	*emitter
	c, ldc, x, xCol a64.R
	xRow            [bf16TileRows + 1]a64.R
	// add emits sums[r][v] += products of word halves, x of row r at x and weights v of the panel at w.
	add pairAdder
}

type pairAdder func(t bf16Tile, x, w a64.R, sums [][panelVectors]a64.V)

func (e *emitter) gemmBF16(d decl.Func, add pairAdder) {
	e.function(d)
	t := bf16Tile{emitter: e, c: e.Arg("c"), ldc: e.inBytes("ldc"), x: e.Arg("x"), xCol: e.inBytes("xCol"), add: add}
	t.xRow[1] = e.inBytes("xRow")
	for r := 2; r <= bf16TileRows; r++ {
		t.xRow[r] = e.General()
		e.ADD(t.xRow[1], t.xRow[r-1], t.xRow[r])
	}
	e.tilesOfRows(e.Arg("rows"), bf16TileRows, 0, t.emit)
	e.addBias()
	e.activateRows()
	e.RET()
}

// emit computes a tile at c and x, then advances both.
func (t bf16Tile) emit(rows int) {
	own, begun := t.NewLabel("own"), t.NewLabel("begun")
	t.CBZ(t.Arg("add"), own)
	t.B(begun)
	t.Label(own)
	t.Comment("add is 0: begin with +0")
	zero, p := t.zero(), t.copied(t.c)
	for range rows {
		for v := range panelVectors {
			t.STQ(zero, p, v*vectorBytes)
		}
		t.ADD(t.ldc, p, p)
	}
	t.Label(begun)
	x, w, blocks := t.copied(t.x), t.Arg("w"), t.Arg("blocks")
	t.times(blocks, func() {
		t.Comment("a block: even = odd = +0")
		even, odd := t.zeros(rows), t.zeros(rows)
		pairs := t.General()
		t.MOVDI(blockPairs, pairs)
		t.times(pairs, func() {
			for i, sums := range [][][panelVectors]a64.V{even, odd} {
				t.Comment("%s: %d sums", []string{"even", "odd"}[i], rows*panelVectors)
				t.add(t, x, w, sums)
				t.ADDI(panelBytes, w, w)
				t.ADD(t.xCol, x, x)
			}
		})
		t.Comment("c += even + odd")
		p := t.copied(t.c)
		for r := range rows {
			for v := range panelVectors {
				t.VFADD(odd[r][v], even[r][v], even[r][v])
				t.VFADD(even[r][v], t.at(p, v*vectorBytes), even[r][v])
			}
			t.storePanel(even[r], p)
			t.ADD(t.ldc, p, p)
		}
	})
	t.Comment("advance to the next rows")
	for range rows {
		t.ADD(t.ldc, t.c, t.c)
	}
	t.ADD(t.xRow[rows], t.x, t.x)
}

// zeros returns registers of zeros for the vectors of rows.
func (t bf16Tile) zeros(rows int) [][panelVectors]a64.V {
	sums := make([][panelVectors]a64.V, rows)
	for r := range sums {
		for v := range sums[r] {
			sums[r][v] = t.zero()
		}
	}
	return sums
}

// elements loads a word of x for each row into lane 0.
func (t bf16Tile) elements(x a64.R, rows int) []a64.V {
	elements := make([]a64.V, rows)
	for r := range elements {
		elements[r] = t.Vector()
		if r == 0 {
			t.FMOVS(x, 0, elements[r])
		} else {
			t.FMOVSX(x, t.xRow[r], elements[r])
		}
	}
	return elements
}

// addLong adds the products of the upper halves of words, then of the lower halves.
func (t bf16Tile) addLong(x, w a64.R, sums [][panelVectors]a64.V) {
	var weights [panelVectors]a64.V
	for v := range weights {
		weights[v] = t.Vector()
	}
	t.loadPanel(w, weights)
	elements := t.elements(x, len(sums))
	for _, b := range elements {
		t.VDUP(b, 0, b)
	}
	for _, add := range []func(m, n, d a64.V){t.VBFMLALT, t.VBFMLALB} {
		for v := range weights {
			for r := range sums {
				add(elements[r], weights[v], sums[r][v])
			}
		}
	}
}

// addWidened does the same by fma of float32.
func (t bf16Tile) addWidened(x, w a64.R, sums [][panelVectors]a64.V) {
	upper := t.bits("upperHalf", upperHalf)
	for _, widen := range []func(v a64.V){
		func(v a64.V) { t.VAND(upper, v, v) },
		func(v a64.V) { t.VSHL(16, v, v) },
	} {
		elements := t.elements(x, len(sums))
		for _, b := range elements {
			widen(b)
		}
		for v := range panelVectors {
			weights := t.at(w, v*vectorBytes)
			widen(weights)
			for r := range sums {
				t.VFMLALane(elements[r], 0, weights, sums[r][v])
			}
		}
	}
}

func (e *emitter) addBias() {
	done := e.NewLabel("biased")
	from := e.Arg("bias")
	e.CBZ(from, done)
	e.Comment("epilogue: y += bias")
	var bias [panelVectors]a64.V
	for v := range bias {
		bias[v] = e.at(from, v*vectorBytes)
	}
	c, ldc, rows := e.Arg("c"), e.inBytes("ldc"), e.Arg("rows")
	e.times(rows, func() {
		for v := range bias {
			sum := e.at(c, v*vectorBytes)
			e.VFADD(bias[v], sum, sum)
			e.STQ(sum, c, v*vectorBytes)
		}
		e.ADD(ldc, c, c)
	})
	e.Label(done)
}

// gatherBF16 generates the interleaving of rows. The words of a row hold values 4q and 4q+2, 4q+1 and
// 4q+3, the upper half first, so its values are in the order 2, 0, 3, 1.
func (e *emitter) gatherBF16() {
	e.function(decl.GatherBF16)
	dst, src, stride, quads := e.Arg("dst"), e.Arg("src"), e.inBytes("stride"), e.Arg("quads")
	e.times(quads, func() {
		e.Comment("four rows of 16 values")
		var rows [4][2]a64.V
		for i := range rows {
			rows[i] = [2]a64.V{e.at(src, 0), e.at(src, vectorBytes)}
			e.ADD(stride, src, src)
		}
		for odd := range 2 {
			for half := range 2 {
				upper, lower := rows[odd][half], rows[odd+2][half]
				words := [2]a64.V{e.Vector(), e.Vector()}
				e.VZIP1H(upper, lower, words[0])
				e.VZIP2H(upper, lower, words[1])
				for i, w := range words {
					first, second := e.Vector(), e.Vector()
					e.VUZP2(w, w, first)
					e.VUZP1(w, w, second)
					e.VTRN1D(second, first, w)
					e.STQ(w, dst, odd*panelBytes+(2*half+i)*vectorBytes)
				}
			}
		}
		e.ADDI(2*panelBytes, dst, dst)
	})
	e.RET()
}

// roundBF16 generates the rounding of a row. Values 2 and 3 of four go to the lower halves of the words of
// values 0 and 1.
func (e *emitter) roundBF16() {
	e.function(decl.RoundBF16)
	dst, src, blocks := e.Arg("dst"), e.Arg("src"), e.Arg("blocks")
	e.times(blocks, func() {
		e.Comment("32 values")
		for i := 0; i < 2*panelBytes; i += 2 * vectorBytes {
			var words [2]a64.V
			e.interleave(2, func(half int) {
				w, high := e.rounded(e.at(src, i+half*vectorBytes)), e.Vector()
				e.VEXT(8, w, w, high)
				e.VSRI(16, high, w)
				words[half] = w
			})
			e.VTRN1D(words[1], words[0], words[0])
			e.STQ(words[0], dst, i/2)
		}
		e.ADDI(2*panelBytes, src, src)
		e.ADDI(panelBytes, dst, dst)
	})
	e.RET()
}

// roundPanelBF16 generates the rounding of the weights of a panel.
func (e *emitter) roundPanelBF16() {
	e.function(decl.RoundPanelBF16)
	dst, src, quads := e.Arg("dst"), e.Arg("src"), e.Arg("quads")
	e.times(quads, func() {
		e.Comment("four inputs of 16 outputs")
		for word := 0; word < 2*panelBytes; word += vectorBytes {
			var halves [2]a64.V
			e.interleave(2, func(half int) {
				halves[half] = e.rounded(e.at(src, word+half*2*panelBytes))
			})
			e.VSRI(16, halves[1], halves[0])
			e.STQ(halves[0], dst, word)
		}
		e.ADDI(4*panelBytes, src, src)
		e.ADDI(2*panelBytes, dst, dst)
	})
	e.RET()
}

// rounded returns x rounded to bfloat16 in the upper halves of its lanes: its bits plus almost half of the
// last place that remains, and plus that place.
func (e *emitter) rounded(x a64.V) a64.V {
	bits, a := e.Vector(), e.Vector()
	e.VSHL(15, x, bits)
	e.VUSHR(31, bits, bits)
	e.VADD(x, bits, bits)
	e.VADD(e.bits("almostHalf", 0x7fff), bits, bits)
	e.VFABS(x, a)
	r := e.loaded("quiet", float32(math.NaN()))
	e.VBIT(e.larger(a, e.float("minusOne", -1)), bits, r)
	e.clear(e.larger(e.float("bf16Least", bf16Least), a), r)
	return r
}
