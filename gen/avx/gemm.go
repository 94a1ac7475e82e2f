package avx

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Gemm generates the product of rows of x with adjacent panels of packed weights: with one panel,
// and with all that a register tile covers, for many rows and for few.
func Gemm(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.gemm(decl.Gemm, 1, false)
	if e.tilePanels > 1 {
		e.gemm(decl.GemmWide, e.tilePanels, false)
		e.gemm(decl.GemmWideFew, e.tilePanels, true)
	}
}

func (e *emitter) gemm(d decl.Func, panels int, few bool) {
	e.function(d)
	t := tile{
		e: e, vectors: panels * asm.Panel / e.lanes,
		c: e.arg("c"), x: e.arg("x"), xRow: e.inBytes("xRow"), xCol: e.inBytes("xCol"),
		stride: e.inBytes("stride"), ahead: e.arg("ahead"), few: few,
	}
	if few {
		t.step = e.inBytes("step")
	} else {
		e.SUBQ(e.arg("w"), t.ahead)
	}
	t.odd = e.oddMultiples(t.xRow, e.tileRows)
	t.allRows(d.Name, t.emit)
	e.activateRows(t.vectors)
	e.end()
}

func (e *emitter) multiple(r reg.GPVirtual, factor int) reg.GPVirtual {
	m := e.GP64()
	e.IMUL3Q(operand.U8(factor), r, m)
	return m
}

// oddMultiples returns r times 3, 5 and so on below a limit.
func (e *emitter) oddMultiples(r reg.GPVirtual, limit int) (list []reg.GPVirtual) {
	for odd := 3; odd < limit; odd += 2 {
		list = append(list, e.multiple(r, odd))
	}
	return list
}

// A tile is the operands of a product whose results are in registers: up to tileRows rows of
// vectors. Distances are in bytes.
type tile struct {
	e                        *emitter
	vectors                  int // of results in a row
	c, x, xRow, xCol, stride reg.GPVirtual
	few                      bool            // rows: a tile prefetches for every panel
	ahead                    reg.GPVirtual   // address of what is prefetched if few is set, or else its distance from the weights
	step                     reg.GPVirtual   // between what is prefetched for adjacent panels, if few is set
	odd                      []reg.GPVirtual // 3, 5, … times xRow
}

// allRows calls emit for the tile of each number of rows, preceded by the choice among them: tileRows while
// many rows are left, and then two tiles of similar size instead of a last one of few rows.
func (t tile) allRows(name string, emit func(rows int)) {
	e := t.e
	rows := e.arg("rows")
	label := func(r int) string { return fmt.Sprintf("%s_rows%d", name, r) }
	next, done := name+"_next", name+"_done"
	jumpIf := func(count int, condition func(operand.Op), to string) {
		e.CMPQ(rows, operand.I8(count))
		condition(operand.LabelRef(to))
	}

	e.Label(next)
	e.Comment("choose a tile by the rows left")
	jumpIf(e.tileRows+e.uneven, e.JGT, label(e.tileRows))
	if e.uneven > 0 {
		jumpIf(e.tileRows, e.JGT, label(e.tileRows-e.uneven))
	}
	for r := e.tileRows; r > 0; r-- {
		jumpIf(r, e.JEQ, label(r))
	}
	e.JMP(operand.LabelRef(done))
	for r := e.tileRows; r > 0; r-- {
		e.Label(label(r))
		emit(r)
		e.SUBQ(operand.I8(r), rows)
		e.JMP(operand.LabelRef(next))
	}
	e.Label(done)
}

// emit computes a tile at c and x, then advances both.
func (t tile) emit(rows int) {
	e := t.e
	acc := grid(rows, t.vectors, e.vec)
	e.Commentf("tile: %s × %s", count(rows, "row"), count(t.vectors*e.lanes/asm.Panel, "panel"))
	t.begin(acc)
	t.sum(acc)
	e.Comment("store the tile, advance to the next rows")
	next, ldc := e.inBytes("next"), e.inBytes("ldc")
	for r := range acc {
		for v := range acc[r] {
			e.VMOVUPS(acc[r][v], e.inPanel(t.c, next, v))
		}
		e.ADDQ(ldc, t.c)
	}
	e.ADDQ(e.multiple(t.xRow, rows), t.x)
	if t.vectors*e.lanes == asm.Panel {
		e.ADDQ(operand.I8(asm.Panel*4), t.ahead)
	} else if !t.few {
		e.ADDQ(e.inBytes("step"), t.ahead)
	}
}

// count returns "1 row", "2 rows" and so on.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// begin loads the initial value of every chain: start, the same for every row, or c if start is nil.
func (t tile) begin(acc [][]reg.VecVirtual) {
	e := t.e
	begun := e.label("begun")
	e.Comment("begin with start in every row, or with c if start is nil")
	p, next, ldc := e.arg("start"), e.GP64(), e.GP64()
	e.MOVQ(operand.U32(asm.Panel*4), next)
	e.XORQ(ldc, ldc)
	e.TESTQ(p, p)
	e.JNZ(operand.LabelRef(begun))
	e.MOVQ(t.c, p)
	e.Load(e.Param("next"), next)
	e.Load(e.Param("ldc"), ldc)
	e.SHLQ(operand.U8(2), next)
	e.SHLQ(operand.U8(2), ldc)
	e.Label(begun)
	for r := range acc {
		for v := range acc[r] {
			e.VMOVUPS(e.inPanel(p, next, v), acc[r][v])
		}
		if r < len(acc)-1 {
			e.ADDQ(ldc, p)
		}
	}
}

// sum adds the terms of all k, in large tiles several in an iteration: where another thread shares the core, each
// takes half the instructions that it starts in a cycle.
func (t tile) sum(acc [][]reg.VecVirtual) {
	e := t.e
	x, w, k := e.GP64(), e.arg("w"), e.arg("depth")
	e.MOVQ(t.x, x)
	ahead := t.ahead
	if t.few {
		ahead = e.GP64()
		e.MOVQ(t.ahead, ahead)
	}
	const bytes = asm.Panel * 4
	advance := func(terms int) {
		if t.few {
			e.ADDQ(operand.I32(terms*bytes), ahead)
		}
		e.ADDQ(operand.I32(terms*bytes), w)
	}
	terms := []string{e.label("term")}
	if len(acc) >= e.tileRows-e.uneven {
		for len(terms) < e.terms {
			terms = append(terms, e.label("term"))
		}
		e.ADDQ(operand.I8(e.terms-1), k)
		t.enter(terms, k, 0, 1, advance)
	}
	for i, label := range terms {
		e.Label(label)
		t.term(acc, x, w, ahead, i*bytes)
	}
	advance(len(terms))
	e.again(k, terms[0])
}

// enter jumps to the first term of an iteration that lacks some: as many as given, and those of the low bits of k that are
// 0, of which the lowest is worth size. It shifts these bits out.
func (t tile) enter(terms []string, k reg.GPVirtual, lacking, size int, advance func(terms int)) {
	e := t.e
	if size == len(terms) {
		e.JMP(operand.LabelRef(terms[lacking]))
		return
	}
	set := e.label("set")
	e.SHRQ(operand.U8(1), k)
	e.JCS(operand.LabelRef(set))
	advance(-size)
	t.enter(terms, k, lacking+size, 2*size, advance)
	e.Label(set)
	t.enter(terms, k, lacking, 2*size, advance)
}

// term adds the term of one k, disp bytes after w and ahead. It prefetches, into the second-level cache, what a later
// tile reads: for every panel if few is set, or else for one, each of two of the largest tiles of AVX2 for half of the
// terms. Small tiles prefetch weights that they read prefetchBytes later, too.
func (t tile) term(acc [][]reg.VecVirtual, x, w, ahead reg.GPVirtual, disp int) {
	e := t.e
	e.Commentf("acc[r] += x[r][k]·w[k]: %d accumulators, %d weights, 1 element of x", len(acc)*t.vectors, t.vectors)
	weights := make([]reg.VecVirtual, t.vectors)
	for v := range weights {
		weights[v] = e.loaded(e.inPanel(w, t.stride, v).Offset(disp))
	}
	for r := range acc {
		b := e.vec()
		e.VBROADCASTSS(t.row(x, r), b)
		for v := range weights {
			e.VFMADD231PS(weights[v], b, acc[r][v])
		}
	}
	if t.few {
		for v := 0; v < t.vectors; v += asm.Panel / e.lanes {
			e.PREFETCHT1(e.inPanel(ahead, t.step, v).Offset(disp))
		}
	} else if e.wide() || len(acc) < e.tileRows || disp%(2*asm.Panel*4) == 0 {
		e.PREFETCHT1(indexed(w, ahead, 1).Offset(disp))
	}
	for v := 0; v < t.vectors && !t.few && len(acc) < e.tileRows-e.uneven; v += asm.Panel / e.lanes {
		e.PREFETCHT0(e.inPanel(w, t.stride, v).Offset(disp + prefetchBytes))
	}
	e.ADDQ(t.xCol, x)
}

// inPanel returns vector v of adjacent panels that start distance bytes apart.
func (e *emitter) inPanel(first, distance reg.Register, v int) operand.Mem {
	perPanel := asm.Panel / e.lanes
	p, disp := v/perPanel, v%perPanel*e.bytes
	if p == 0 {
		return at(first, disp)
	}
	return indexed(first, distance, uint8(p)).Offset(disp)
}

// row returns the element of x in row r: an address scales xRow, or an odd multiple of it, by a
// power of two.
func (t tile) row(x reg.Register, r int) operand.Mem {
	scale := uint8(1)
	for ; r > 0 && r%2 == 0; r /= 2 {
		scale *= 2
	}
	switch r {
	case 0:
		return at(x, 0)
	case 1:
		return indexed(x, t.xRow, scale)
	}
	return indexed(x, t.odd[r/2-1], scale)
}

// activateRows applies the activation to the rows of c, which are still in the first-level
// cache.
func (e *emitter) activateRows(vectors int) {
	e.activation(func(f func(reg.VecVirtual) reg.VecVirtual) {
		c, next, ldc, rows := e.arg("c"), e.inBytes("next"), e.inBytes("ldc"), e.arg("rows")
		e.times(rows, func() {
			e.interleave(vectors, func(i int) {
				result := e.inPanel(c, next, i)
				e.VMOVUPS(f(e.loaded(result)), result)
			})
			e.ADDQ(ldc, c)
		})
	})
}

// activation emits a loop for each activation and the choice of the one that act selects.
func (e *emitter) activation(loop func(f func(reg.VecVirtual) reg.VecVirtual)) {
	act := e.arg("act")
	sigmoid, relu, done := e.label("sigmoid"), e.label("relu"), e.label("activated")
	e.CMPQ(act, operand.I8(asm.ActTanh))
	e.JLT(operand.LabelRef(done))
	e.JGT(operand.LabelRef(sigmoid))
	e.Comment("epilogue: y = tanh(y)")
	loop(target{e}.Tanh)
	e.JMP(operand.LabelRef(done))
	e.Label(sigmoid)
	e.CMPQ(act, operand.I8(asm.ActSigmoid))
	e.JGT(operand.LabelRef(relu))
	e.Comment("epilogue: y = σ(y)")
	loop(func(a vec) vec { return elementwise.Sigmoid(target{e}, a) })
	e.JMP(operand.LabelRef(done))
	e.Label(relu)
	e.Comment("epilogue: y = ReLU(y)")
	loop(target{e}.ReLU)
	e.Label(done)
}
