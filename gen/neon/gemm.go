package neon

import (
	"fmt"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// A register tile of the matrix product is one panel wide. Of the 32 registers, 6 rows take 24 for
// accumulators, 4 for weights and 1 for an element of x; the accumulators and weights of 7 rows
// would take all of them.
const (
	panelVectors = asm.Panel / lanes
	tileRows     = 6
	uneven       = 2 // if tileRows+1 to tileRows+uneven rows are left, the next tile has tileRows-uneven
)

// Gemm generates the product of rows of x with a panel of packed weights.
func Gemm(file *a64.File) {
	e := newEmitter(file)
	e.function(decl.Gemm)
	t := tile{
		emitter: e,
		c:       e.Arg("c"), ldc: e.inBytes("ldc"), x: e.Arg("x"), xCol: e.inBytes("xCol"),
	}
	t.xRow[1] = e.inBytes("xRow")
	for r := 2; r <= tileRows; r++ {
		t.xRow[r] = e.General()
		e.ADD(t.xRow[1], t.xRow[r-1], t.xRow[r])
	}
	e.tilesOfRows(e.Arg("rows"), tileRows, uneven, t.emit)
	e.activateRows()
	e.RET()
}

// A tile is the operands of a product whose results are in registers: up to tileRows rows of a
// panel. Distances are in bytes; xRow[r] spans r ≥ 1 rows.
type tile struct {
	*emitter
	c, ldc, x, xCol a64.R
	xRow            [tileRows + 1]a64.R
}

// tilesOfRows calls emit for the tile of each number of rows, preceded by the choice among them: most while
// many rows are left, and then two tiles of similar size instead of a last one of up to uneven rows.
func (e *emitter) tilesOfRows(rows a64.R, most, uneven int, emit func(r int)) {
	label := func(r int) string { return fmt.Sprintf("rows%d", r) }
	const next, done = "next", "done"

	e.Label(next)
	e.Comment("choose a tile by the rows left")
	last := most
	if uneven > 0 {
		e.CMPI(most+uneven, rows)
		e.BGT(label(most))
		e.CMPI(most, rows)
		e.BGT(label(most - uneven))
	} else {
		e.CMPI(most, rows)
		e.BGE(label(most))
		last--
	}
	for r := last; r > 0; r-- {
		e.CMPI(r, rows)
		e.BEQ(label(r))
	}
	e.B(done)
	for r := most; r > 0; r-- {
		e.Label(label(r))
		e.Comment("tile: %s × 1 panel", count(r, "row"))
		emit(r)
		e.SUBI(r, rows, rows)
		e.B(next)
	}
	e.Label(done)
}

// emit computes a tile at c and x, then advances both.
func (t tile) emit(rows int) {
	acc := make([][panelVectors]a64.V, rows)
	for r := range acc {
		for v := range acc[r] {
			acc[r][v] = t.Vector()
		}
	}
	t.begin(acc)
	t.sum(acc)
	t.Comment("store the tile, advance to the next rows")
	for r := range acc {
		t.storePanel(acc[r], t.c)
		t.ADD(t.ldc, t.c, t.c)
	}
	t.ADD(t.xRow[rows], t.x, t.x)
}

// count returns "1 row", "2 rows" and so on.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// begin loads the initial value of every chain.
func (t tile) begin(acc [][panelVectors]a64.V) {
	own, begun := t.NewLabel("own"), t.NewLabel("begun")
	t.Comment("begin with start, the same for every row")
	start := t.Arg("start")
	t.CBZ(start, own)
	t.loadPanel(start, acc[0])
	for _, row := range acc[1:] {
		for v := range row {
			t.VMOV(acc[0][v], row[v])
		}
	}
	t.B(begun)
	t.Label(own)
	t.Comment("start is nil: begin with c")
	p := t.copied(t.c)
	for r := range acc {
		t.loadPanel(p, acc[r])
		t.ADD(t.ldc, p, p)
	}
	t.Label(begun)
}

// sum adds the terms of all k.
func (t tile) sum(acc [][panelVectors]a64.V) {
	x, w, k := t.copied(t.x), t.Arg("w"), t.Arg("depth")
	depth := t.NewLabel("depth")
	t.Label(depth)
	t.Comment("acc[r] += x[r][k]·w[k]: %d accumulators, %d weights, 1 element of x", len(acc)*panelVectors, panelVectors)
	weights := t.weights(w)
	for r := range acc {
		b := t.Vector()
		t.row(x, r, b)
		for v := range weights {
			t.VFMLALane(b, 0, weights[v], acc[r][v])
		}
	}
	t.ADD(t.xCol, x, x)
	t.SUBSI(1, k, k)
	t.BNE(depth)
}

func (t tile) row(x a64.R, r int, d a64.V) {
	if r == 0 {
		t.FMOVS(x, 0, d)
		return
	}
	t.FMOVSX(x, t.xRow[r], d)
}

// weights loads the weights of a panel for one input, then advances w.
func (e *emitter) weights(w a64.R) (v [panelVectors]a64.V) {
	for i := range v {
		v[i] = e.Vector()
	}
	e.FLDPQ(w, 2*vectorBytes, v[2], v[3])
	e.FLDPQP(w, panelBytes, v[0], v[1])
	return v
}

func (e *emitter) loadPanel(p a64.R, v [panelVectors]a64.V) {
	for i := 0; i < panelVectors; i += 2 {
		e.FLDPQ(p, i*vectorBytes, v[i], v[i+1])
	}
}

func (e *emitter) storePanel(v [panelVectors]a64.V, p a64.R) {
	for i := 0; i < panelVectors; i += 2 {
		e.FSTPQ(v[i], v[i+1], p, i*vectorBytes)
	}
}

// activateRows applies the activation to the rows of c, which are still in the first-level
// cache.
func (e *emitter) activateRows() {
	e.activation(func(f func(a64.V) a64.V) {
		c, ldc, rows := e.Arg("c"), e.inBytes("ldc"), e.Arg("rows")
		e.times(rows, func() {
			e.interleave(panelVectors, func(i int) {
				disp := i * vectorBytes
				e.STQ(f(e.at(c, disp)), c, disp)
			})
			e.ADD(ldc, c, c)
		})
	})
}

// activation emits a loop for each activation and the choice of the one that act selects.
func (e *emitter) activation(loop func(f func(a64.V) a64.V)) {
	act := e.Arg("act")
	sigmoid, relu, done := e.NewLabel("sigmoid"), e.NewLabel("relu"), e.NewLabel("activated")
	e.CMPI(asm.ActTanh, act)
	e.BLT(done)
	e.BGT(sigmoid)
	e.Comment("epilogue: y = tanh(y)")
	loop(target{e}.Tanh)
	e.B(done)
	e.Label(sigmoid)
	e.CMPI(asm.ActSigmoid, act)
	e.BGT(relu)
	e.Comment("epilogue: y = σ(y)")
	loop(func(a a64.V) a64.V { return elementwise.Sigmoid(target{e}, a) })
	e.B(done)
	e.Label(relu)
	e.Comment("epilogue: y = ReLU(y)")
	loop(target{e}.ReLU)
	e.Label(done)
}
