package avx2

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
)

// tileRows is the number of rows of x whose 16 results are in registers at a time:
// 12 accumulators, two weights and a broadcast of the 16 registers.
const tileRows = 6

// Gemm writes the product of rows of x with one panel of packed weights.
//
// Register plan: acc[r] holds results 0-7 and 8-15 of row r; w0 and w1 the weights of the
// current k; one register the broadcast element of x.
func Gemm(c *build.Context) {
	e := newEmitter(c)
	e.function("Gemm", "func(c *float32, ldc, rows int, x *float32, xRow, xCol int, w *float32, depth int, start *float32, act int)",
		"Gemm sets c[i*ldc+j] = act(s + Σ_k x[i*xRow+k*xCol]*w[k*16+j]) for i < rows, j < 16, k < depth,",
		"k ascending, where s is start[j], or c[i*ldc+j] if start is nil.")
	t := tile{
		emitter: e,
		c:       e.arg("c"), ldc: e.bytes("ldc"),
		x: e.arg("x"), xRow: e.bytes("xRow"), xCol: e.bytes("xCol"),
		xRow3: e.GP64(), xRow5: e.GP64(),
	}
	rows := e.arg("rows")
	e.LEAQ(indexed(t.xRow, t.xRow, 2), t.xRow3)
	e.LEAQ(indexed(t.xRow, t.xRow, 4), t.xRow5)

	e.Label("whole")
	e.CMPQ(rows, operand.I8(tileRows))
	e.JLT(operand.LabelRef("rest"))
	t.emit(tileRows)
	t.advance(tileRows)
	e.SUBQ(operand.I8(tileRows), rows)
	e.JMP(operand.LabelRef("whole"))

	e.Label("rest")
	for r := tileRows - 1; r > 0; r-- {
		e.CMPQ(rows, operand.I8(r))
		e.JEQ(operand.LabelRef(fmt.Sprintf("rest%d", r)))
	}
	e.JMP(operand.LabelRef("activate"))
	for r := tileRows - 1; r > 0; r-- {
		e.Label(fmt.Sprintf("rest%d", r))
		t.emit(r)
		if r > 1 {
			e.JMP(operand.LabelRef("activate"))
		}
	}

	e.Label("activate")
	p, step, n := e.arg("c"), e.bytes("ldc"), e.arg("rows")
	e.activation(func(f func(reg.VecVirtual) reg.VecVirtual) {
		e.times(n, func() {
			for _, disp := range []int{0, vectorBytes} {
				v := e.loaded(at(p, disp))
				e.VMOVUPS(f(v), at(p, disp))
			}
			e.ADDQ(step, p)
		})
	})
	e.end()
}

// activation emits the loop for each activation and the branch to the one that act names.
func (e *emitter) activation(loop func(f func(reg.VecVirtual) reg.VecVirtual)) {
	act := e.arg("act")
	sigmoid, done := e.label("sigmoid"), e.label("activated")
	e.CMPQ(act, operand.I8(asm.ActTanh))
	e.JLT(operand.LabelRef(done))
	e.JGT(operand.LabelRef(sigmoid))
	loop(e.tanh)
	e.JMP(operand.LabelRef(done))
	e.Label(sigmoid)
	loop(e.sigmoid)
	e.Label(done)
}

// A tile is the operands of up to tileRows rows; distances are in bytes.
type tile struct {
	*emitter
	c, ldc, x, xRow, xRow3, xRow5, xCol reg.GPVirtual
}

// emit computes rows rows from c and x on.
func (t tile) emit(rows int) {
	acc := make([][2]reg.VecVirtual, rows)
	for r := range acc {
		acc[r] = [2]reg.VecVirtual{t.YMM(), t.YMM()}
	}
	t.begin(acc)
	t.sum(acc)
	p := t.GP64()
	t.MOVQ(t.c, p)
	for r := range acc {
		t.VMOVUPS(acc[r][0], at(p, 0))
		t.VMOVUPS(acc[r][1], at(p, vectorBytes))
		if r < rows-1 {
			t.ADDQ(t.ldc, p)
		}
	}
}

// begin loads the start of every chain.
func (t tile) begin(acc [][2]reg.VecVirtual) {
	own, begun := t.label("own"), t.label("begun")
	start := t.arg("start")
	t.TESTQ(start, start)
	t.JZ(operand.LabelRef(own))
	for r := range acc {
		t.VMOVUPS(at(start, 0), acc[r][0])
		t.VMOVUPS(at(start, vectorBytes), acc[r][1])
	}
	t.JMP(operand.LabelRef(begun))
	t.Label(own)
	p := t.GP64()
	t.MOVQ(t.c, p)
	for r := range acc {
		t.VMOVUPS(at(p, 0), acc[r][0])
		t.VMOVUPS(at(p, vectorBytes), acc[r][1])
		if r < len(acc)-1 {
			t.ADDQ(t.ldc, p)
		}
	}
	t.Label(begun)
}

// sum adds the terms of all k.
func (t tile) sum(acc [][2]reg.VecVirtual) {
	x, w, k := t.GP64(), t.arg("w"), t.arg("depth")
	t.MOVQ(t.x, x)
	row := []operand.Mem{
		at(x, 0), indexed(x, t.xRow, 1), indexed(x, t.xRow, 2),
		indexed(x, t.xRow3, 1), indexed(x, t.xRow, 4), indexed(x, t.xRow5, 1),
	}
	t.times(k, func() {
		w0, w1, b := t.YMM(), t.YMM(), t.YMM()
		t.VMOVUPS(at(w, 0), w0)
		t.VMOVUPS(at(w, vectorBytes), w1)
		for r := range acc {
			t.VBROADCASTSS(row[r], b)
			t.VFMADD231PS(w0, b, acc[r][0])
			t.VFMADD231PS(w1, b, acc[r][1])
		}
		t.ADDQ(operand.I8(asm.Panel*4), w)
		t.ADDQ(t.xCol, x)
	})
}

// advance moves c and x on by tileRows = 6 rows.
func (t tile) advance(rows int) {
	t.LEAQ(indexed(t.x, t.xRow3, 2), t.x)
	for range rows / 2 {
		t.LEAQ(indexed(t.c, t.ldc, 2), t.c)
	}
}
