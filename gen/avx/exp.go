package avx

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Exp generates the exponential.
func Exp(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.elementwise(decl.Exp, schedule{inFlight: 2, constants: 4}, schedule{inFlight: 2, constants: 12}, e.exp)
}

// exp returns exp(x) = 2ⁿ·(1 + r + r²·q(r)), 1 and r added with the rounding error of their sum.
// It overwrites x.
//
// Where x is out of range, AVX2 clamps it. AVX-512 lets n overflow and bounds r, because VSCALEFPS
// multiplies by 2ⁿ for any n, NaN and infinities included.
func (e *emitter) exp(x reg.VecVirtual) reg.VecVirtual {
	e.Comment("exp(x): n = round(x/ln 2), r = x - n·ln 2, |r| ≤ ln 2 / 2")
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
	e.Comment("sum = 1 + r, lost = r - (sum - 1)")
	one := e.float("one", 1)
	r, sum, lost := x, e.vec(), e.vec()
	e.VADDPS(one, r, sum)
	e.VSUBPS(one, sum, lost)
	e.VSUBPS(lost, r, lost)
	e.Comment("p = sum + (lost + r²·q(r))")
	p := e.squared(r)
	e.VFMADD213PS(lost, e.expSeries(r), p)
	e.VADDPS(sum, p, p)
	e.timesPow2(p, n, z)
	return p
}

// round returns n, the integer nearest to x·factor, and z, which has n+bias in its low bits.
func (e *emitter) round(x reg.VecVirtual, factor operand.Op, bias int) (n, z reg.VecVirtual) {
	magic := e.float(fmt.Sprintf("roundInt%d", bias), asm.RoundInt+float32(bias))
	z = e.loaded(factor)
	e.VFMADD213PS(magic, x, z)
	n = e.vec()
	e.VSUBPS(magic, z, n)
	return n, z
}

// reduce2 replaces x by r = x - n·ln 2, with ln 2 as the sum of two constants.
func (e *emitter) reduce2(n, x reg.VecVirtual) {
	e.VFNMADD231PS(e.float("ln2High", asm.Ln2High), n, x)
	e.VFNMADD231PS(e.float("ln2Low", asm.Ln2Low), n, x)
}

// pow2 replaces z, which has n+ExponentBias in its low bits, by 2ⁿ.
func (e *emitter) pow2(z reg.VecVirtual) {
	e.VPSLLD(operand.U8(asm.ExponentLSB), z, z)
}

// Immediates of VRANGEPS: the smaller of two magnitudes, with the sign of the first operand or
// positive. Of NaN and a number it is the number.
const (
	smallerKeepSign = 0x02
	smallerPositive = 0x0a
)

// timesPow2 multiplies p by 2ⁿ, where z has n+2·ExponentBias in its low bits. AVX2 multiplies by
// two powers of about half of n, so that a subnormal result is rounded only once.
func (e *emitter) timesPow2(p, n, z reg.VecVirtual) {
	if e.wide() {
		e.Comment("p·2ⁿ")
		e.VSCALEFPS(n, p, p)
		return
	}
	e.Comment("p·2ⁿ = (p·2^⌊n/2⌋)·2^(n-⌊n/2⌋)")
	half := e.vec()
	e.VPSLLD(operand.U8(asm.ExponentLSB-1), z, half)
	e.VANDPS(e.bits("exponentBits", asm.ExponentBits), half, half)
	e.VPSLLD(operand.U8(asm.ExponentLSB), z, z)
	e.VPSUBD(half, z, z)
	e.VMULPS(half, p, p)
	e.VMULPS(z, p, p)
}

// expTerm returns exp(x) for x ≤ 0, and 0 where that is subnormal. It overwrites x.
func (e *emitter) expTerm(x reg.VecVirtual) reg.VecVirtual {
	e.Comment("exp(x), x ≤ 0: n = round(x/ln 2), r = x - n·ln 2")
	normal := e.compare(notLessThan, x, e.float("expLow", asm.ExpLow))
	n, k := e.round(x, e.float("log2e", asm.Log2E), asm.ExponentBias)
	e.reduce2(n, x)
	p := e.expm1(x)
	e.Comment("k + k·expm1(r), k = 2ⁿ, and 0 where x < ExpLow")
	e.pow2(k)
	e.VFMADD213PS(k, k, p)
	e.clip(normal, p)
	return p
}

// expm1 returns exp(r) - 1 = r + r²·q(r) for |r| ≤ ln 2 / 2.
func (e *emitter) expm1(r reg.VecVirtual) reg.VecVirtual {
	e.Comment("expm1(r) = r + r²·q(r)")
	p := e.squared(r)
	e.VFMADD213PS(r, e.expSeries(r), p)
	return p
}

// expSeries returns q(r), where exp(r) = 1 + r + r²·q(r).
func (e *emitter) expSeries(r reg.VecVirtual) reg.VecVirtual {
	return e.horner(r, expName, expC)
}

func (e *emitter) squared(r reg.VecVirtual) reg.VecVirtual {
	z := e.vec()
	e.VMULPS(r, r, z)
	return z
}

// Coefficients of the two polynomials, highest power first.
var (
	expC  = [5]float32{asm.ExpC6, asm.ExpC5, asm.ExpC4, asm.ExpC3, asm.ExpC2}
	tanhC = [5]float32{asm.TanhC11, asm.TanhC9, asm.TanhC7, asm.TanhC5, asm.TanhC3}
)

func expName(i int) string  { return fmt.Sprintf("expC%d", 6-i) }
func tanhName(i int) string { return fmt.Sprintf("tanhC%d", 11-2*i) }

// horner returns the polynomial with coefficients c, highest power first, at v.
func (e *emitter) horner(v reg.VecVirtual, name func(i int) string, c [5]float32) reg.VecVirtual {
	q := e.loaded(e.float(name(0), c[0]))
	for i := 1; i < len(c); i++ {
		e.VFMADD213PS(e.float(name(i), c[i]), v, q)
	}
	return q
}
