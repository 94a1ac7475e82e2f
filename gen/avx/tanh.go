package avx

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
)

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
