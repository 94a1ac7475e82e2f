package avx

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Exp writes Exp, Tanh, Sigmoid and TanhBackward.
func Exp(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.elementwise(decl.Exp, pace{2, 4}, pace{2, 12}, e.exp)
	e.elementwise(decl.Tanh, pace{2, 2}, pace{3, 11}, e.tanh)
	e.elementwise(decl.Sigmoid, pace{2, 5}, pace{2, 14}, e.sigmoid)
	e.tanhBackward()
}

func (e *emitter) elementwise(d decl.Func, avx2, avx512 pace, f func(x reg.VecVirtual) reg.VecVirtual) {
	e.function(d)
	e.pace(avx2, avx512)
	dst, src, n := e.arg("dst"), e.arg("src"), e.arg("n")
	e.eachInFlight(n, func(s span) {
		s.store(f(s.load(src)), dst)
	})
	e.end()
}

func (e *emitter) tanhBackward() {
	e.function(decl.TanhBackward)
	dx, y, dy, n := e.arg("dx"), e.arg("y"), e.arg("dy"), e.arg("n")
	e.each(n, func(s span) {
		v, slope := s.load(y), e.loaded(e.float("one", 1))
		e.VFNMADD231PS(v, v, slope)
		e.VMULPS(s.load(dy), slope, slope)
		s.store(slope, dx)
	})
	e.end()
}

// round returns n, the integer nearest to x·factor, and z, in whose low bits n+bias is.
func (e *emitter) round(x reg.VecVirtual, factor operand.Op, bias int) (n, z reg.VecVirtual) {
	magic := e.float(fmt.Sprintf("roundInt%d", bias), asm.RoundInt+float32(bias))
	z = e.loaded(factor)
	e.VFMADD213PS(magic, x, z)
	n = e.vec()
	e.VSUBPS(magic, z, n)
	return n, z
}

// pow2 replaces n+ExponentBias, in the low bits of z, by 2ⁿ.
func (e *emitter) pow2(z reg.VecVirtual) {
	e.VPSLLD(operand.U8(asm.ExponentLSB), z, z)
}

// reduce2 replaces x by r = x - n·ln 2.
func (e *emitter) reduce2(n, x reg.VecVirtual) {
	e.VFNMADD231PS(e.float("ln2High", asm.Ln2High), n, x)
	e.VFNMADD231PS(e.float("ln2Low", asm.Ln2Low), n, x)
}

// expSeries returns q with exp(r) = 1 + r + r²·q.
func (e *emitter) expSeries(r reg.VecVirtual) reg.VecVirtual {
	return e.horner(r, expName, expC)
}

// squared returns r².
func (e *emitter) squared(r reg.VecVirtual) reg.VecVirtual {
	z := e.vec()
	e.VMULPS(r, r, z)
	return z
}

// expm1 returns exp(r) - 1.
func (e *emitter) expm1(r reg.VecVirtual) reg.VecVirtual {
	p := e.squared(r)
	e.VFMADD213PS(r, e.expSeries(r), p)
	return p
}

// exp adds 1 and r with their rounding error. It overwrites x.
//
// Where x is out of range, AVX2 takes a bound instead, and AVX-512 lets n overflow and takes
// any r, because VSCALEFPS multiplies by 2ⁿ for whatever n is, NaN and infinities included.
func (e *emitter) exp(x reg.VecVirtual) reg.VecVirtual {
	if !e.wide() {
		over, under := e.loaded(e.float("expOver", asm.ExpOver)), e.loaded(e.float("expUnder", asm.ExpUnder))
		e.VMINPS(x, over, x)
		e.VMAXPS(x, under, x)
	}
	n, z := e.round(x, e.float("log2e", asm.Log2E), 2*asm.ExponentBias)
	e.reduce2(n, x)
	if e.wide() {
		const aboveHalfLn2 = 0.35
		e.VRANGEPS(operand.U8(smallerKeepSign), e.float("rBound", aboveHalfLn2), x, x)
	}
	one := e.float("one", 1)
	r, sum, lost := x, e.vec(), e.vec()
	e.VADDPS(one, r, sum)
	e.VSUBPS(one, sum, lost)
	e.VSUBPS(lost, r, lost)
	p := e.squared(r)
	e.VFMADD213PS(lost, e.expSeries(r), p)
	e.VADDPS(sum, p, p)
	e.timesPow2(p, n, z)
	return p
}

// Immediates of VRANGEPS: the smaller of two magnitudes, with the sign of the first or
// positive; of NaN and a number the number.
const (
	smallerKeepSign = 0x02
	smallerPositive = 0x0a
)

// timesPow2 multiplies p by 2ⁿ, with n+2·ExponentBias in the low bits of z, so that the result
// is rounded once where it is no normal number: AVX2 takes half of n first.
func (e *emitter) timesPow2(p, n, z reg.VecVirtual) {
	if e.wide() {
		e.VSCALEFPS(n, p, p)
		return
	}
	half := e.vec()
	e.VPSLLD(operand.U8(asm.ExponentLSB-1), z, half)
	e.VANDPS(e.bits("exponentBits", asm.ExponentBits), half, half)
	e.VPSLLD(operand.U8(asm.ExponentLSB), z, z)
	e.VPSUBD(half, z, z)
	e.VMULPS(half, p, p)
	e.VMULPS(z, p, p)
}

// expTerm returns exp(x) for x ≤ 0, and 0 where that is no normal number. It overwrites x.
func (e *emitter) expTerm(x reg.VecVirtual) reg.VecVirtual {
	normal := e.compare(notLessThan, x, e.float("expLow", asm.ExpLow))
	n, k := e.round(x, e.float("log2e", asm.Log2E), asm.ExponentBias)
	e.reduce2(n, x)
	p := e.expm1(x)
	e.pow2(k)
	e.VFMADD213PS(k, k, p)
	e.clip(normal, p)
	return p
}

// sigmoid returns 1/(1+exp(-x)) with x between its bounds. It overwrites x.
func (e *emitter) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	d := e.sigmoidDenominator(x)
	y := e.loaded(e.float("one", 1))
	e.VDIVPS(d, y, y)
	return y
}

// sigmoidDenominator returns 1+exp(-x) with x between the bounds of sigmoid. It overwrites x.
func (e *emitter) sigmoidDenominator(x reg.VecVirtual) reg.VecVirtual {
	high, low := e.loaded(e.float("sigmoidHigh", asm.SigmoidHigh)), e.loaded(e.float("sigmoidLow", asm.SigmoidLow))
	e.VMINPS(x, high, x)
	e.VMAXPS(x, low, x)
	n, k := e.round(x, e.float("minusLog2e", -asm.Log2E), asm.ExponentBias)
	e.VFNMSUB231PS(e.float("ln2High", asm.Ln2High), n, x)
	e.VFNMADD231PS(e.float("ln2Low", asm.Ln2Low), n, x)
	d := e.expm1(x)
	e.pow2(k)
	y, one := e.vec(), e.float("one", 1)
	e.VADDPS(one, k, y)
	e.VFMADD213PS(y, k, d)
	return d
}
