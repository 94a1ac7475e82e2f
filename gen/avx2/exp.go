package avx2

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
)

// Exp writes Exp, Tanh, Sigmoid and TanhBackward.
func Exp(c *build.Context) {
	e := newEmitter(c)
	e.elementwise("Exp", "exp(src[i])", e.exp)
	e.elementwise("Tanh", "tanh(src[i])", e.tanh)
	e.elementwise("Sigmoid", "1/(1+exp(-src[i]))", e.sigmoid)
	e.tanhBackward()
}

func (e *emitter) elementwise(name, formula string, f func(x reg.VecVirtual) reg.VecVirtual) {
	e.function(name, "func(dst, src *float32, n int)", name+" sets dst[i] = "+formula+" for i < n.")
	dst, src, n := e.arg("dst"), e.arg("src"), e.arg("n")
	e.each16(n, func(s span) {
		s.store(f(s.load(src)), dst)
	})
	e.end()
}

func (e *emitter) tanhBackward() {
	e.function("TanhBackward", "func(dx, y, dy *float32, n int)", "TanhBackward sets dx[i] = dy[i]*(1-y[i]*y[i]) for i < n.")
	dx, y, dy, n := e.arg("dx"), e.arg("y"), e.arg("dy"), e.arg("n")
	e.each(n, func(s span) {
		v, slope := s.load(y), e.loaded(e.float("one", 1))
		e.VFNMADD231PS(v, v, slope)
		e.VMULPS(s.load(dy), slope, slope)
		s.store(slope, dx)
	})
	e.end()
}

// expParts returns z, whose low bits hold the integer n nearest to x·log₂e, and p with
// exp(x) = 2ⁿ(1+p). It overwrites x.
func (e *emitter) expParts(x reg.VecVirtual) (z, p reg.VecVirtual) {
	round := e.float("roundInt", asm.RoundInt)
	z = e.loaded(e.float("log2e", asm.Log2E))
	e.VFMADD213PS(round, x, z)
	n := e.YMM()
	e.VSUBPS(round, z, n)
	r := x
	e.VFNMADD231PS(e.float("ln2High", asm.Ln2High), n, r)
	e.VFNMADD231PS(e.float("ln2Low", asm.Ln2Low), n, r)

	q := e.loaded(e.float("expC6", asm.ExpC6))
	e.VFMADD213PS(e.float("expC5", asm.ExpC5), r, q)
	e.VFMADD213PS(e.float("expC4", asm.ExpC4), r, q)
	e.VFMADD213PS(e.float("expC3", asm.ExpC3), r, q)
	e.VFMADD213PS(e.float("expC2", asm.ExpC2), r, q)
	p = e.YMM()
	e.VMULPS(r, r, p)
	e.VFMADD213PS(r, q, p)
	return z, p
}

// pow2 replaces the integer in the low bits of n by 2ⁿ.
func (e *emitter) pow2(n reg.VecVirtual) {
	e.VPSLLD(operand.U8(asm.ExponentLSB), n, n)
	e.VPADDD(e.bits("oneBits", asm.OneBits), n, n)
}

// expNormal returns exp(x) where that is a normal number. It overwrites x.
func (e *emitter) expNormal(x reg.VecVirtual) reg.VecVirtual {
	k, p := e.expParts(x)
	e.pow2(k)
	e.VFMADD213PS(k, k, p)
	return p
}

// exp scales by 2ⁿ in two steps, so that only the second can leave the normal numbers.
func (e *emitter) exp(x reg.VecVirtual) reg.VecVirtual {
	over, under := e.loaded(e.float("expOver", asm.ExpOver)), e.loaded(e.float("expUnder", asm.ExpUnder))
	e.VMINPS(x, over, x)
	e.VMAXPS(x, under, x)
	z, p := e.expParts(x)
	e.VPSUBD(e.float("roundInt", asm.RoundInt), z, z)
	half := e.YMM()
	e.VPSRAD(operand.U8(1), z, half)
	e.VPSUBD(half, z, z)
	e.pow2(half)
	e.pow2(z)
	e.VFMADD213PS(half, half, p)
	e.VMULPS(z, p, p)
	return p
}

// expTerm returns exp(x) for x ≤ 0, and 0 where that is no normal number. It overwrites x.
func (e *emitter) expTerm(x reg.VecVirtual) reg.VecVirtual {
	const lessThan = 0x11
	under := e.YMM()
	e.VCMPPS(operand.U8(lessThan), e.float("expLow", asm.ExpLow), x, under)
	p := e.expNormal(x)
	e.VANDNPS(p, under, p)
	return p
}

// tanh returns 1 - 2/(1+exp(2|x|)), or below TanhSplit an odd polynomial, with the sign
// of x. It overwrites x.
func (e *emitter) tanh(x reg.VecVirtual) reg.VecVirtual {
	const lessThan = 0x11
	sign, a := e.YMM(), e.YMM()
	e.VANDPS(e.bits("signBit", asm.SignBit), x, sign)
	e.VANDPS(e.bits("absBits", ^uint32(asm.SignBit)), x, a)

	c := e.loaded(e.float("tanhClamp", asm.TanhClamp))
	e.VMINPS(a, c, c)
	e.VADDPS(c, c, c)
	large := e.expNormal(c)
	e.VADDPS(e.float("one", 1), large, large)
	two := e.loaded(e.float("two", 2))
	e.VDIVPS(large, two, large)
	one := e.loaded(e.float("one", 1))
	e.VSUBPS(large, one, large)

	z := e.YMM()
	e.VMULPS(a, a, z)
	t := e.loaded(e.float("tanhC11", asm.TanhC11))
	e.VFMADD213PS(e.float("tanhC9", asm.TanhC9), z, t)
	e.VFMADD213PS(e.float("tanhC7", asm.TanhC7), z, t)
	e.VFMADD213PS(e.float("tanhC5", asm.TanhC5), z, t)
	e.VFMADD213PS(e.float("tanhC3", asm.TanhC3), z, t)
	e.VMULPS(z, t, t)
	e.VFMADD213PS(a, a, t)

	e.VCMPPS(operand.U8(lessThan), e.float("tanhSplit", asm.TanhSplit), a, a)
	e.VBLENDVPS(a, t, large, large)
	e.VORPS(sign, large, large)
	return large
}

// sigmoid returns 1/(1+exp(-x)) with x between its bounds. It overwrites x.
func (e *emitter) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	high, low := e.loaded(e.float("sigmoidHigh", asm.SigmoidHigh)), e.loaded(e.float("sigmoidLow", asm.SigmoidLow))
	e.VMINPS(x, high, x)
	e.VMAXPS(x, low, x)
	e.VXORPS(e.bits("signBit", asm.SignBit), x, x)
	y := e.expNormal(x)
	one := e.loaded(e.float("one", 1))
	e.VADDPS(one, y, y)
	e.VDIVPS(y, one, y)
	return y
}

var negativeInfinity = float32(math.Inf(-1))
