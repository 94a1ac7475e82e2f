package avx2

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
)

// gemvPanels is the number of panels that are read side by side: 8 accumulators hide the
// 4 cycles of an FMA at two a cycle.
const gemvPanels = 4

// Gemv writes the product of one row with panels of packed weights.
func Gemv(c *build.Context) {
	e := newEmitter(c)
	e.function("Gemv", "func(y, x, w *float32, stride, depth, panels int, start *float32, step, act int)",
		"Gemv sets y[p*16+j] = act(start[p*step+j] + Σ_k x[k]*w[p*stride+k*16+j]) for p < panels, j < 16, k < depth,",
		"k ascending. start may be y.")
	v := row{
		emitter: e,
		y:       e.arg("y"), x: e.arg("x"), w: e.arg("w"), stride: e.bytes("stride"), stride3: e.GP64(),
		depth: e.arg("depth"), start: e.arg("start"), step: e.bytes("step"), step3: e.GP64(),
	}
	n := e.arg("panels")
	e.LEAQ(indexed(v.stride, v.stride, 2), v.stride3)
	e.LEAQ(indexed(v.step, v.step, 2), v.step3)

	e.Label("several")
	e.CMPQ(n, operand.I8(gemvPanels))
	e.JLT(operand.LabelRef("single"))
	v.emit(gemvPanels)
	e.LEAQ(indexed(v.w, v.stride, gemvPanels), v.w)
	e.LEAQ(indexed(v.start, v.step, gemvPanels), v.start)
	e.SUBQ(operand.I8(gemvPanels), n)
	e.JMP(operand.LabelRef("several"))

	e.Label("single")
	e.TESTQ(n, n)
	e.JZ(operand.LabelRef("activate"))
	v.emit(1)
	e.ADDQ(v.stride, v.w)
	e.ADDQ(v.step, v.start)
	e.DECQ(n)
	e.JMP(operand.LabelRef("single"))

	e.Label("activate")
	y, count := e.arg("y"), e.arg("panels")
	e.SHLQ(operand.U8(1), count)
	e.activation(func(f func(reg.VecVirtual) reg.VecVirtual) {
		e.times(count, func() {
			e.VMOVUPS(f(e.loaded(at(y, 0))), at(y, 0))
			e.ADDQ(operand.I8(vectorBytes), y)
		})
	})
	e.end()
}

// A row is the operands of Gemv; distances are in bytes.
type row struct {
	*emitter
	y, x, w, stride, stride3, depth, start, step, step3 reg.GPVirtual
}

// emit computes the given number of panels, 1 or 4, and moves y behind them.
func (v row) emit(panels int) {
	start := []operand.Mem{at(v.start, 0), indexed(v.start, v.step, 1), indexed(v.start, v.step, 2), indexed(v.start, v.step3, 1)}
	acc := make([][2]reg.VecVirtual, panels)
	for p := range acc {
		acc[p] = [2]reg.VecVirtual{v.YMM(), v.YMM()}
		v.VMOVUPS(start[p], acc[p][0])
		v.VMOVUPS(start[p].Offset(vectorBytes), acc[p][1])
	}
	loop := v.label("column")
	w, k := v.GP64(), v.GP64()
	weights := []operand.Mem{at(w, 0), indexed(w, v.stride, 1), indexed(w, v.stride, 2), indexed(w, v.stride3, 1)}
	v.MOVQ(v.w, w)
	v.XORQ(k, k)
	v.Label(loop)
	b := v.YMM()
	v.VBROADCASTSS(indexed(v.x, k, 4), b)
	for p := range acc {
		v.VFMADD231PS(weights[p], b, acc[p][0])
		v.VFMADD231PS(weights[p].Offset(vectorBytes), b, acc[p][1])
	}
	v.ADDQ(operand.I8(asm.Panel*4), w)
	v.INCQ(k)
	v.CMPQ(k, v.depth)
	v.JLT(operand.LabelRef(loop))
	for p := range acc {
		v.VMOVUPS(acc[p][0], at(v.y, 2*p*vectorBytes))
		v.VMOVUPS(acc[p][1], at(v.y, (2*p+1)*vectorBytes))
	}
	v.ADDQ(operand.U32(uint32(panels*asm.Panel*4)), v.y)
}
