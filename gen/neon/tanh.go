package neon

import (
	"fmt"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
)

// tanh returns 1 - 2/(1+exp(2|x|)), or below TanhSplit an odd polynomial, with the sign of x.
func (e *emitter) tanh(x a64.V) a64.V {
	a, r := e.Vector(), e.Vector()
	e.VFABS(x, a)
	e.VFADD(a, a, r)
	e.VFMIN(e.float("tanhClamp2", 2*asm.TanhClamp), r, r)
	k := e.reduce1(r)
	y := e.tanhLarge(e.expm1(r), k)
	small := e.larger(e.float("tanhSplit", asm.TanhSplit), a)
	e.VBIT(small, e.tanhSmall(a), y)
	e.VBIT(e.bits("signBit", asm.SignBit), x, y)
	return y
}

// reduce1 replaces x by r = x - n·ln 2, with ln 2 as one constant, and returns 2ⁿ.
func (e *emitter) reduce1(x a64.V) a64.V {
	n, k := e.round(x, asm.ExponentBias)
	e.VFMLS(e.float("ln2", asm.Ln2), n, x)
	e.pow2(k)
	return k
}

// tanhLarge returns 1 - 2/(1 + k + k·p).
func (e *emitter) tanhLarge(p, k a64.V) a64.V {
	one, y := e.float("one", 1), e.Vector()
	e.VFADD(k, one, y)
	e.VFMLA(p, k, y)
	e.VFDIV(y, e.float("two", 2), y)
	e.VFSUB(y, one, y)
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
func (e *emitter) horner(v a64.V, name func(i int) string, c [5]float32) a64.V {
	q := e.float(name(0), c[0])
	for i := 1; i < len(c); i++ {
		next := e.loaded(name(i), c[i])
		e.VFMLA(q, v, next)
		q = next
	}
	return q
}

// tanhSmall returns the odd polynomial at a. It overwrites a.
func (e *emitter) tanhSmall(a a64.V) a64.V {
	z := e.squared(a)
	t := e.horner(z, tanhName, tanhC)
	e.VFMUL(a, z, z)
	e.VFMLA(t, z, a)
	return a
}
