package neon

import (
	"math/bits"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Gemv generates the product of one row with panels of packed weights.
func Gemv(file *a64.File) {
	e := newEmitter(file)
	e.function(decl.Gemv)
	v := row{
		emitter: e,
		y:       e.Arg("y"), x: e.Arg("x"), w: e.Arg("w"), stride: e.inBytes("stride"),
		depth: e.Arg("depth"), start: e.Arg("start"), step: e.inBytes("step"),
	}
	n := e.Arg("panels")
	for _, panels := range []int{gemvPanels, 1} {
		loop, done := e.NewLabel("panels"), e.NewLabel("fewer")
		e.Label(loop)
		e.Comment("tile: 1 row × %s", count(panels, "panel"))
		e.CMPI(panels, n)
		e.BLT(done)
		v.emit(panels)
		e.SUBI(panels, n, n)
		e.B(loop)
		e.Label(done)
	}

	e.activation(func(f func(a64.V) a64.V) {
		y, n := e.Arg("y"), e.Arg("panels")
		e.LSLI(bits.TrailingZeros(asm.Panel), n, n)
		e.eachInFlight(n, func(s span) { s.Store(f(s.Load(y)), y) })
	})
	e.RET()
}

// gemvPanels is the number of panels that an iteration reads. Their chains are independent, which
// hides the latency of a multiply-add.
const gemvPanels = 4

// A row is the operands of Gemv; distances are in bytes.
type row struct {
	*emitter
	y, x, w, stride, depth, start, step a64.R
}

// emit computes the given number of panels, then advances the operands.
func (v row) emit(panels int) {
	acc := make([][panelVectors]a64.V, panels)
	w := make([]a64.R, panels)
	for p := range acc {
		for i := range acc[p] {
			acc[p][i] = v.Vector()
		}
		v.loadPanel(v.start, acc[p])
		v.ADD(v.step, v.start, v.start)
		w[p] = v.copied(v.w)
		v.ADD(v.stride, v.w, v.w)
	}
	x, k := v.copied(v.x), v.copied(v.depth)
	depth := v.NewLabel("depth")
	v.Label(depth)
	v.Comment("acc[p] += x[k]·w[p][k]")
	b := v.Vector()
	v.FMOVSP(x, b)
	for p := range acc {
		weights := v.weights(w[p])
		for i := range weights {
			v.VFMLALane(b, 0, weights[i], acc[p][i])
		}
	}
	v.SUBSI(1, k, k)
	v.BNE(depth)
	v.Comment("store the tile, advance to the next panels")
	for p := range acc {
		v.storePanel(acc[p], v.y)
		v.ADDI(panelBytes, v.y, v.y)
	}
}
