package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Quantize generates the conversions between float32 and the integers of products of int8.
func Quantize(file *a64.File) {
	e := newEmitter(file)
	e.maxBits()
	e.quantize()
	e.scaleInt8()
	elementwise.Dequantize(target{e})
}

func (e *emitter) maxBits() {
	e.function(decl.MaxBits)
	x, n := e.Arg("x"), e.Arg("n")
	acc := []a64.V{e.zero(), e.zero(), e.zero(), e.zero()}
	e.reduce(n, acc, func(s span, most a64.V) {
		e.Comment("max(|x|, largest), NaN if either is")
		v := s.Load(x)
		e.VFABS(v, v)
		e.VFMAX(v, most, most)
	})
	e.Return(e.tree(acc, e.VFMAX))
	e.RET()
}

func (e *emitter) quantize() {
	e.function(decl.Quantize)
	q, x, n, scale, sum := e.Arg("q"), e.Arg("x"), e.Arg("n"), e.broadcastArg("scale"), e.zero()
	e.each(n, func(s span) {
		e.Comment("q = x/scale, clamped and rounded")
		v := s.Load(x)
		e.VFDIV(scale, v, v)
		e.VFMIN(e.float("most", 127), v, v)
		e.VFMAX(e.float("least", -127), v, v)
		e.VFCVTNS(v, v)
		e.VADD(v, sum, sum)
		e.VUZP1H(v, v, v)
		e.VUZP1B(v, v, v)
		e.STS(v, q, 0)
		e.ADDI(lanes, q, q)
	})
	e.Return(e.sumInts(sum))
	e.RET()
}

// sumInts returns the sum of the lanes of v in lane 0.
func (e *emitter) sumInts(v a64.V) a64.V {
	s := e.Vector()
	e.VADDP(v, v, s)
	e.VADDP(s, s, s)
	return s
}

// scaleInt8 extends bytes by a product with 1, which has 16 bits, and by adding zeros to 32 bits.
func (e *emitter) scaleInt8() {
	e.function(decl.ScaleInt8)
	y, q, n, scale := e.Arg("y"), e.Arg("q"), e.Arg("n"), e.broadcastArg("scale")
	one, zero := e.Vector(), e.zero()
	e.VMOVI(1, one)
	e.each(n, func(s span) {
		e.Comment("y = q·scale")
		b, v := e.Vector(), e.zero()
		e.FMOVS(q, 0, b)
		e.VSMULL(one, b, b)
		e.VZIP1H(zero, b, b)
		e.VSADALP(b, v)
		e.VSCVTF(v, v)
		e.VFMUL(scale, v, v)
		s.Store(v, y)
		e.ADDI(lanes, q, q)
	})
	e.RET()
}
