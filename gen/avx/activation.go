package avx

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Activation writes the activations and the backward pass of tanh.
func Activation(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.elementwise(decl.Tanh, pace{inFlight: 2, kept: 2}, pace{inFlight: 3, kept: 11}, e.tanh)
	e.elementwise(decl.Sigmoid, pace{inFlight: 2, kept: 5}, pace{inFlight: 2, kept: 14}, e.sigmoid)
	e.elementwise(decl.ReLU, pace{inFlight: 2, kept: 1}, pace{inFlight: 2, kept: 1}, e.relu)
	e.elementwise(decl.GELU, pace{inFlight: 2, kept: 3}, pace{inFlight: 2, kept: 14}, e.gelu)
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

// tanh returns 1 - 2/(1+exp(2|x|)), or below TanhSplit an odd polynomial, with the sign
// of x. It overwrites x.
func (e *emitter) tanh(x reg.VecVirtual) reg.VecVirtual {
	if e.wide() {
		return e.tanhWide(x)
	}
	a, r := e.vec(), e.vec()
	e.VANDPS(e.bits("absBits", ^uint32(asm.SignBit)), x, a)
	e.VADDPS(a, a, r)
	clamp := e.loaded(e.float("tanhClamp2", 2*asm.TanhClamp))
	e.VMINPS(r, clamp, r)
	k := e.reduce1(r)
	small := e.compare(lessThan, a, e.float("tanhSplit", asm.TanhSplit))
	odd := e.tanhSmall(a)
	y := e.choose(small, odd, e.tanhLarge(e.expm1(r), k))
	e.VANDPS(e.bits("signBit", asm.SignBit), x, x)
	e.VORPS(x, y, y)
	return y
}

// tanhWide evaluates one polynomial for both ranges of |x|. NaN takes the path of the small.
func (e *emitter) tanhWide(x reg.VecVirtual) reg.VecVirtual {
	u, r := e.squared(x), e.vec()
	e.VRANGEPS(operand.U8(smallerPositive), e.float("tanhClamp", asm.TanhClamp), x, r)
	e.VADDPS(r, r, r)
	k := e.reduce1(r)
	small := e.compare(notGreaterEqual, u, e.float("tanhSplit2", asm.TanhSplit*asm.TanhSplit))
	u = e.choose(small, u, r)
	e.VMOVAPS(x, small, r)
	odd, d := e.tanhSeries(small, u, r), e.vec()
	e.VMOVAPS(odd, d)
	y := e.tanhLarge(d, k)
	e.VMOVAPS(odd, small, y)
	e.VPTERNLOGD(operand.U8(selectBits), e.bits("absBits", ^uint32(asm.SignBit)), x, y)
	return y
}

const (
	notGreaterEqual = 0x19 // predicate of VCMPPS, true on NaN
	selectBits      = 0xe4 // truth table of VPTERNLOGD(m, x, y) for y&m | x&^m
)

// reduce1 replaces x by r = x - n·ln 2, with ln 2 as one constant, and returns 2ⁿ.
func (e *emitter) reduce1(x reg.VecVirtual) reg.VecVirtual {
	n, k := e.round(x, e.float("log2e", asm.Log2E), asm.ExponentBias)
	e.VFNMADD231PS(e.float("ln2", asm.Ln2), n, x)
	e.pow2(k)
	return k
}

// tanhLarge returns 1 - 2/(1 + k + k·p). It overwrites p.
func (e *emitter) tanhLarge(p, k reg.VecVirtual) reg.VecVirtual {
	one, y := e.float("one", 1), e.vec()
	e.VADDPS(one, k, y)
	e.VFMADD213PS(y, k, p)
	y = e.loaded(e.float("two", 2))
	e.VDIVPS(p, y, y)
	o := e.loaded(one)
	e.VSUBPS(y, o, y)
	return y
}

// tanhSmall returns the odd polynomial at a.
func (e *emitter) tanhSmall(a reg.VecVirtual) reg.VecVirtual {
	z := e.squared(a)
	t := e.horner(z, tanhName, tanhC)
	e.VMULPS(a, z, z)
	e.VFMADD213PS(a, z, t)
	return t
}

// tanhSeries returns tanhSmall(v) in the lanes of small and expm1(v) elsewhere. Both are
// u·v·q(u) + v of a polynomial q with five coefficients, where u is v² in the one and v in
// the other.
func (e *emitter) tanhSeries(small mask, u, v reg.VecVirtual) reg.VecVirtual {
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

// relu returns x where x > 0 or x is NaN, and +0 elsewhere. VMAXPS would return one of two
// zeros, or the number beside NaN, by the order of its operands.
func (e *emitter) relu(x reg.VecVirtual) reg.VecVirtual {
	e.clip(e.compare(notLessEqual, x, e.float("zero", 0)), x)
	return x
}

// gelu returns x/(1+exp(-u)) with u = x·(GELUC1 + GELUC3·x²), and +0 where x < GELULow. x² may
// overflow: u is infinite then, and the sigmoid's bounds apply. It overwrites x.
func (e *emitter) gelu(x reg.VecVirtual) reg.VecVirtual {
	u := e.squared(x)
	slope := e.loaded(e.float("geluC1", asm.GELUC1))
	e.VFMADD231PS(e.float("geluC3", asm.GELUC3), u, slope)
	e.VMULPS(slope, x, u)
	d := e.sigmoidDenominator(u)
	e.VDIVPS(d, x, d)
	e.zeroBelow(d, x, e.float("geluLow", asm.GELULow))
	return d
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
