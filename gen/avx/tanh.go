package avx

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
)

func biased(name string, bias int) string { return fmt.Sprintf("%s%d", name, bias) }

// tanh returns 1 - 2/(1+exp(2|x|)), or below TanhSplit an odd polynomial, with the sign
// of x. It overwrites x.
//
// The argument of exp is reduced to half of r, with half of ln 2, so that p is half of
// exp(r)-1; k is 2ⁿ⁺¹ to make up for it.
func (e *emitter) tanh(x reg.VecVirtual) reg.VecVirtual {
	a := e.vec()
	e.VANDPS(e.bits("absBits", ^uint32(asm.SignBit)), x, a)
	c := e.loaded(e.float("tanhClamp", asm.TanhClamp))
	e.VMINPS(a, c, c)
	n, k := e.round(c, e.float("twoLog2e", 2*asm.Log2E), asm.ExponentBias+1)
	e.VFNMADD231PS(e.float("halfLn2", asm.Ln2/2), n, c)
	small := e.compare(lessThan, a, e.float("tanhSplit", asm.TanhSplit))
	var p, odd reg.VecVirtual
	if e.wide() {
		p = e.tanhSeries(small, a, c)
		odd = p
	} else {
		p, odd = e.halfExpm1(c), e.tanhSmall(a)
	}

	e.pow2(k)
	one, y := e.float("one", 1), e.vec()
	e.VPSUBD(e.bits("exponentOne", 1<<asm.ExponentLSB), k, y)
	e.VADDPS(one, y, y)
	d := e.vec()
	e.VMOVAPS(p, d)
	e.VFMADD213PS(y, k, d)
	y = e.loaded(e.float("two", 2))
	e.VDIVPS(d, y, y)
	o := e.loaded(one)
	e.VSUBPS(y, o, y)
	if e.wide() {
		e.VMOVAPS(odd, small, y)
		e.VPTERNLOGD(operand.U8(insertWhereSet), e.bits("signBit", asm.SignBit), x, y)
		return y
	}
	y = e.choose(small, odd, y)
	e.VANDPS(e.bits("signBit", asm.SignBit), x, x)
	e.VORPS(x, y, y)
	return y
}

// insertWhereSet is the truth table of VPTERNLOGD for y | x&m.
const insertWhereSet = 0xf8

// The coefficients of q for half of r, from the highest power on.
var halfExpC = [5]float32{32 * asm.ExpC6, 16 * asm.ExpC5, 8 * asm.ExpC4, 4 * asm.ExpC3, 2 * asm.ExpC2}

var tanhC = [5]float32{asm.TanhC11, asm.TanhC9, asm.TanhC7, asm.TanhC5, asm.TanhC3}

func (e *emitter) halfExpCoefficient(i int) operand.Op {
	return e.float(biased("halfExpC", len(halfExpC)+1-i), halfExpC[i])
}

func (e *emitter) tanhCoefficient(i int) operand.Op {
	return e.float(biased("tanhC", 11-2*i), tanhC[i])
}

// horner returns the polynomial with five coefficients at v.
func (e *emitter) horner(v reg.VecVirtual, coefficient func(i int) operand.Op) reg.VecVirtual {
	q := e.loaded(coefficient(0))
	for i := 1; i < 5; i++ {
		e.VFMADD213PS(coefficient(i), v, q)
	}
	return q
}

// halfExpm1 returns (exp(2r)-1)/2.
func (e *emitter) halfExpm1(r reg.VecVirtual) reg.VecVirtual {
	p := e.squared(r)
	e.VFMADD213PS(r, e.horner(r, e.halfExpCoefficient), p)
	return p
}

// tanhSmall returns the odd polynomial at a.
func (e *emitter) tanhSmall(a reg.VecVirtual) reg.VecVirtual {
	z := e.squared(a)
	t := e.horner(z, e.tanhCoefficient)
	e.VMULPS(a, z, z)
	e.VFMADD213PS(a, z, t)
	return t
}

// tanhSeries returns tanhSmall(a) in the lanes of small and halfExpm1(r) elsewhere. Both are
// v·w·q(u) + v of a polynomial q with five coefficients: (v, u, w) is (a, a², a²) in the one
// and (r, r, r) in the other. It overwrites r.
func (e *emitter) tanhSeries(small mask, a, r reg.VecVirtual) reg.VecVirtual {
	z := e.squared(a)
	u := e.choose(small, z, r)
	e.VMOVAPS(a, small, r)
	w := e.vec()
	e.VMULPS(u, r, w)
	q := e.horner(u, func(i int) operand.Op {
		v := e.loaded(e.halfExpCoefficient(i))
		e.VMOVAPS(e.tanhCoefficient(i), small, v)
		return v
	})
	e.VFMADD213PS(r, q, w)
	return w
}
