package avx

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Exp writes the exponential.
func Exp(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.elementwise(decl.Exp, pace{inFlight: 2, kept: 4}, pace{inFlight: 2, kept: 12}, e.exp)
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

// The coefficients of the two polynomials from the highest power on.
var (
	expC  = [5]float32{asm.ExpC6, asm.ExpC5, asm.ExpC4, asm.ExpC3, asm.ExpC2}
	tanhC = [5]float32{asm.TanhC11, asm.TanhC9, asm.TanhC7, asm.TanhC5, asm.TanhC3}
)

func expName(i int) string  { return fmt.Sprintf("expC%d", 6-i) }
func tanhName(i int) string { return fmt.Sprintf("tanhC%d", 11-2*i) }

// horner returns the polynomial with the coefficients c, the highest power's first, at v.
func (e *emitter) horner(v reg.VecVirtual, name func(i int) string, c [5]float32) reg.VecVirtual {
	q := e.loaded(e.float(name(0), c[0]))
	for i := 1; i < len(c); i++ {
		e.VFMADD213PS(e.float(name(i), c[i]), v, q)
	}
	return q
}
