package avx

import (
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Gemv generates the product of one row with panels of packed weights. The numbers of panels that an iteration
// reads, each with chains of its own, were chosen by measurement on Intel's Cascade Lake. Four hide the latency of
// an FMA, but in the second-level cache AVX-512 reads 1.5 times as fast without the prefetches, which memory and the
// third-level cache need, and a tenth faster in eight panels; AVX2 reads a tenth slower without them.
func Gemv(c *build.Context, isa ISA) {
	e, d := newEmitter(c, isa), decl.Gemv
	if e.wide() {
		d = decl.GemvNear
	}
	e.function(d)
	v := row{
		e: e,
		y: e.arg("y"), x: e.arg("x"), w: e.arg("w"), stride: e.inBytes("stride"),
		depth: e.arg("depth"), start: e.arg("start"), step: e.inBytes("step"),
	}
	v.stride3, v.step3 = e.multiple(v.stride, 3), e.multiple(v.step, 3)
	n := e.arg("panels")
	if e.wide() {
		near, far := e.arg("near"), e.label("far")
		e.TESTQ(near, near)
		e.JZ(operand.LabelRef(far))
		e.tiles(n, 8, v.emit)
		e.tiles(n, 4, v.emit)
		e.Label(far)
	}
	v.prefetch = true
	e.tiles(n, 4, v.emit)
	e.tiles(n, 1, v.emit)

	e.activation(func(f func(reg.VecVirtual) reg.VecVirtual) {
		y, n := e.arg("y"), e.arg("panels")
		e.SHLQ(operand.U8(bits.TrailingZeros(asm.Panel)), n)
		e.eachInFlight(n, func(s span) { s.Store(f(s.Load(y)), y) })
	})
	e.end()
}

// prefetchBytes is the distance between the weights in use and those that are prefetched.
const prefetchBytes = 256

// A row is the operands of Gemv; distances are in bytes.
type row struct {
	e                                                   *emitter
	prefetch                                            bool
	y, x, w, stride, stride3, depth, start, step, step3 reg.GPVirtual
}

// emit computes 1, 4 or 8 panels, then advances the operands.
func (v row) emit(panels int) {
	e := v.e
	start := v.adjacent(v.start, v.step, v.step3, panels)
	e.Commentf("tile: 1 row × %s", count(panels, "panel"))
	acc, perPanel := make([]reg.VecVirtual, panels*asm.Panel/e.lanes), asm.Panel/e.lanes
	for i := range acc {
		acc[i] = e.loaded(start[i/perPanel].Offset(i % perPanel * e.bytes))
	}
	loop := e.label("column")
	w, k := e.GP64(), e.GP64()
	e.MOVQ(v.w, w)
	weights := v.adjacent(w, v.stride, v.stride3, panels)
	e.XORQ(k, k)
	e.Label(loop)
	e.Comment("acc[p] += x[k]·w[p][k]")
	b := e.vec()
	e.VBROADCASTSS(indexed(v.x, k, 4), b)
	for i := range acc {
		e.VFMADD231PS(weights[i/perPanel].Offset(i%perPanel*e.bytes), b, acc[i])
	}
	for p := range panels {
		if v.prefetch {
			e.PREFETCHT0(weights[p].Offset(prefetchBytes))
		}
	}
	for p := 0; p < panels; p += 4 {
		e.ADDQ(operand.I8(asm.Panel*4), weights[p].Base)
	}
	e.INCQ(k)
	e.fence()
	e.CMPQ(k, v.depth)
	e.JLT(operand.LabelRef(loop))
	e.Comment("store the tile, advance to the next panels")
	for i := range acc {
		e.VMOVUPS(acc[i], at(v.y, i*e.bytes))
	}
	e.ADDQ(operand.U32(panels*asm.Panel*4), v.y)
	if panels == 1 {
		e.ADDQ(v.stride, v.w)
		e.ADDQ(v.step, v.start)
		return
	}
	e.LEAQ(indexed(v.w, v.stride, uint8(panels)), v.w)
	e.LEAQ(indexed(v.start, v.step, uint8(panels)), v.start)
}

// adjacent returns n places from p on that distance bytes lie between; third is 3·distance.
func (v row) adjacent(p, distance, third reg.GPVirtual, n int) (list []operand.Mem) {
	for range max(1, n/4) {
		list = append(list, at(p, 0), indexed(p, distance, 1), indexed(p, distance, 2), indexed(p, third, 1))
		if len(list) < n {
			next := v.e.GP64()
			v.e.LEAQ(indexed(p, distance, 4), next)
			p = next
		}
	}
	return list
}
