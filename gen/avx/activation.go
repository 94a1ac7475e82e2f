package avx

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Activation generates the activations and the backward pass of tanh.
func Activation(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.elementwise(decl.Tanh, schedule{inFlight: 2, constants: 2}, schedule{inFlight: 3, constants: 11}, e.tanh)
	e.elementwise(decl.Sigmoid, schedule{inFlight: 2, constants: 5}, schedule{inFlight: 2, constants: 14}, e.sigmoid)
	e.elementwise(decl.ReLU, schedule{inFlight: 2, constants: 1}, schedule{inFlight: 2, constants: 1}, e.relu)
	elementwise.TanhBackward(target{e})
}

// elementwise generates the kernel dst[i] = f(src[i]).
func (e *emitter) elementwise(d decl.Func, avx2, avx512 schedule, f func(x reg.VecVirtual) reg.VecVirtual) {
	e.function(d)
	e.schedule(avx2, avx512)
	dst, src, n := e.arg("dst"), e.arg("src"), e.arg("n")
	e.eachInFlight(n, func(s span) {
		s.Store(f(s.Load(src)), dst)
	})
	e.end()
}

// tanh returns tanh(x), evaluated at a = |x| and given the sign of x:
//
//	a + a³·p(a²)        where a < TanhSplit
//	1 - 2/(1+exp(2a))   elsewhere
//
// It overwrites x.
func (e *emitter) tanh(x reg.VecVirtual) reg.VecVirtual {
	if e.wide() {
		return e.tanhWide(x)
	}
	e.Comment("tanh(x): a = |x|, r = min(2a, 2·TanhClamp)")
	a, r := e.vec(), e.vec()
	e.VANDPS(e.bits("absBits", ^uint32(asm.SignBit)), x, a)
	e.VADDPS(a, a, r)
	clamp := e.loaded(e.float("tanhClamp2", 2*asm.TanhClamp))
	e.VMINPS(r, clamp, r)
	k := e.reduce1(r)
	small := e.compare(lessThan, a, e.float("tanhSplit", asm.TanhSplit))
	odd := e.tanhSmall(a)
	large := e.tanhLarge(e.expm1(r), k)
	e.Comment("the polynomial where a < TanhSplit, the quotient elsewhere, with the sign of x")
	y := e.choose(small, odd, large)
	e.VANDPS(e.bits("signBit", asm.SignBit), x, x)
	e.VORPS(x, y, y)
	return y
}

// tanhWide is tanh with one polynomial for both ranges of |x|: the coefficients, selected by a
// mask, are those of p or of expm1. NaN is treated as small.
func (e *emitter) tanhWide(x reg.VecVirtual) reg.VecVirtual {
	e.Comment("tanh(x): u = x², r = 2·min(|x|, TanhClamp)")
	u, r := e.squared(x), e.vec()
	e.VRANGEPS(operand.U8(smallerPositive), e.float("tanhClamp", asm.TanhClamp), x, r)
	e.VADDPS(r, r, r)
	k := e.reduce1(r)
	e.Comment("where |x| < TanhSplit: v = x, u = x²; elsewhere v = u = r")
	small := e.compare(notGreaterEqual, u, e.float("tanhSplit2", asm.TanhSplit*asm.TanhSplit))
	u = e.choose(small, u, r)
	e.VMOVAPS(x, small, r)
	odd, d := e.tanhSeries(small, u, r), e.vec()
	e.VMOVAPS(odd, d)
	y := e.tanhLarge(d, k)
	e.Comment("the polynomial where |x| < TanhSplit, the quotient elsewhere, with the sign of x")
	e.VMOVAPS(odd, small, y)
	e.VPTERNLOGD(operand.U8(selectBits), e.bits("absBits", ^uint32(asm.SignBit)), x, y)
	return y
}

const (
	notGreaterEqual = 0x19 // predicate of VCMPPS, true on NaN
	selectBits      = 0xe4 // truth table of VPTERNLOGD(m, x, y) for y&m | x&^m
)

// tanhSmall returns a + a³·p(a²).
func (e *emitter) tanhSmall(a reg.VecVirtual) reg.VecVirtual {
	e.Comment("a + a³·p(a²)")
	z := e.squared(a)
	t := e.horner(z, tanhName, tanhC)
	e.VMULPS(a, z, z)
	e.VFMADD213PS(a, z, t)
	return t
}

// tanhSeries returns tanhSmall(v) in the lanes of small and expm1(v) elsewhere. Both are
// v + u·v·q(u) with five coefficients in q, where u is v² in the former and v in the latter.
func (e *emitter) tanhSeries(small mask, u, v reg.VecVirtual) reg.VecVirtual {
	e.Comment("v + u·v·q(u): the polynomial of tanh, or expm1(r)")
	w := e.vec()
	e.VMULPS(u, v, w)
	coefficient := func(i int) reg.VecVirtual {
		large, ok := e.float(expName(i), expC[i]).(reg.Register)
		if !ok {
			large = e.loaded(e.repeated(expName(i), math.Float32bits(expC[i])))
		}
		return e.choose(small, e.repeated(tanhName(i), math.Float32bits(tanhC[i])), large)
	}
	q := coefficient(0)
	for i := range tanhC[1:] {
		e.VFMADD213PS(coefficient(i+1), u, q)
	}
	e.VFMADD213PS(v, q, w)
	return w
}

// reduce1 replaces x by r = x - n·ln 2, with ln 2 as one constant, and returns k = 2ⁿ.
func (e *emitter) reduce1(x reg.VecVirtual) reg.VecVirtual {
	e.Comment("n = round(r/ln 2), r = r - n·ln 2, k = 2ⁿ")
	n, k := e.round(x, e.float("log2e", asm.Log2E), asm.ExponentBias)
	e.VFNMADD231PS(e.float("ln2", asm.Ln2), n, x)
	e.pow2(k)
	return k
}

// tanhLarge returns 1 - 2/(1 + k + k·p), where exp(2a) = k·(1+p). It overwrites p.
func (e *emitter) tanhLarge(p, k reg.VecVirtual) reg.VecVirtual {
	e.Comment("1 - 2/(1 + k + k·expm1(r))")
	one, y := e.float("one", 1), e.vec()
	e.VADDPS(one, k, y)
	e.VFMADD213PS(y, k, p)
	y = e.loaded(e.float("two", 2))
	e.VDIVPS(p, y, y)
	o := e.loaded(one)
	e.VSUBPS(y, o, y)
	return y
}

// sigmoid returns 1/(1+exp(-x)), x clamped to its bounds. It overwrites x.
func (e *emitter) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	e.Comment("σ(x): n = round(-x/ln 2), r = -x - n·ln 2, with SigmoidLow ≤ x ≤ SigmoidHigh")
	high, low := e.loaded(e.float("sigmoidHigh", asm.SigmoidHigh)), e.loaded(e.float("sigmoidLow", asm.SigmoidLow))
	e.VMINPS(x, high, x)
	e.VMAXPS(x, low, x)
	n, k := e.round(x, e.float("minusLog2e", -asm.Log2E), asm.ExponentBias)
	e.VFNMSUB231PS(e.float("ln2High", asm.Ln2High), n, x)
	e.VFNMADD231PS(e.float("ln2Low", asm.Ln2Low), n, x)
	d := e.expm1(x)
	e.Comment("d = 1 + k + k·expm1(r) = 1 + exp(-x), k = 2ⁿ")
	e.pow2(k)
	sum, one := e.vec(), e.float("one", 1)
	e.VADDPS(one, k, sum)
	e.VFMADD213PS(sum, k, d)
	e.Comment("σ(x) = 1/d")
	y := e.loaded(one)
	e.VDIVPS(d, y, y)
	return y
}

// relu returns x where x > 0 or x is NaN, and +0 elsewhere. VMAXPS would not do: of two zeros,
// or of a number and NaN, it returns its second operand. It overwrites x.
func (e *emitter) relu(x reg.VecVirtual) reg.VecVirtual {
	e.Comment("ReLU(x): 0 where x ≤ 0")
	e.clip(e.compare(notLessEqual, x, e.float("zero", 0)), x)
	return x
}
