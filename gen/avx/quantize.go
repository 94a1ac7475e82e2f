package avx

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Quantize generates the conversions between float32 and the integers of products of int8.
func Quantize(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.maxBits()
	e.quantize()
	e.scaleInt8()
	elementwise.Dequantize(target{e})
}

func (e *emitter) maxBits() {
	e.function(decl.MaxBits)
	x, n := e.arg("x"), e.arg("n")
	acc := e.accumulators(asm.Lanes)
	e.reduce(n, len(acc), func(s span, part int) {
		e.Comment("max(bits of |x|, largest)")
		v := s.Load(x)
		e.VANDPS(e.bits("absBits", ^uint32(asm.SignBit)), v, v)
		e.VPMAXSD(v, acc[part], acc[part])
	})
	e.returnInt(e.tree(acc, func(b, a, d operand.Op) { e.VPMAXSD(b, a, d) }))
	e.end()
}

// returnInt stores lane 0 as the result.
func (e *emitter) returnInt(v reg.VecVirtual) {
	r := e.GP32()
	e.VMOVD(v.AsX(), r)
	e.Store(r, e.ReturnIndex(0))
}

func (e *emitter) quantize() {
	e.function(decl.Quantize)
	q, x, n, scale := e.arg("q"), e.arg("x"), e.arg("n"), e.broadcastArg("scale")
	sum := []reg.VecVirtual{e.zero()}
	e.each(n, func(s span) {
		e.Comment("q = x/scale, clamped and rounded")
		v := s.Load(x)
		e.VDIVPS(scale, v, v)
		e.VMINPS(e.float("most", 127), v, v)
		e.VMAXPS(e.float("least", -127), v, v)
		e.VCVTPS2DQ(v, v)
		e.VPADDD(v, sum[0], sum[0])
		if e.wide() {
			e.VPMOVSDB(v, at(q, 0))
		} else {
			high := e.XMM()
			e.VEXTRACTI128(operand.U8(1), v, high)
			e.VPACKSSDW(high, v.AsX(), high)
			e.VPACKSSWB(high, high, high)
			e.VMOVQ(high, at(q, 0))
		}
		e.ADDQ(operand.I8(e.lanes), q)
	})
	if !e.wide() {
		sum = append(sum, e.zero())
	}
	e.returnInt(e.tree(sum, func(b, a, d operand.Op) { e.VPADDD(b, a, d) }))
	e.end()
}

func (e *emitter) scaleInt8() {
	e.function(decl.ScaleInt8)
	y, q, n, scale := e.arg("y"), e.arg("q"), e.arg("n"), e.broadcastArg("scale")
	e.each(n, func(s span) {
		e.Comment("y = q·scale")
		v := e.vec()
		e.VPMOVSXBD(at(q, 0), v)
		e.VCVTDQ2PS(v, v)
		e.VMULPS(scale, v, v)
		s.Store(v, y)
		e.ADDQ(operand.I8(e.lanes), q)
	})
	e.end()
}
