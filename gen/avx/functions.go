package avx

import (
	"math"

	"github.com/mmcloughlin/avo/operand"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// Immediates of VRANGEPS: the smaller of two magnitudes, with the sign of the first operand or
// positive. Of NaN and a number it is the number.
const (
	smallerKeepSign = 0x02
	smallerPositive = 0x0a
)

// Exp lets n overflow in AVX-512 and bounds r, because VSCALEFPS multiplies by 2ⁿ for any n, NaN and infinities
// included.
func (t target) Exp(x vec) vec {
	if !t.e.wide() {
		return elementwise.Exp(t, x)
	}
	const aboveHalfLn2 = 0.35
	n, _ := elementwise.ExpReduce(t, x)
	t.e.VRANGEPS(operand.U8(smallerKeepSign), t.e.float("rBound", aboveHalfLn2), x, x)
	sum, p := elementwise.ExpSum(t, x)
	t.Comment("p·2ⁿ, p = sum + rest")
	t.Add(sum, p, p)
	t.e.VSCALEFPS(n, p, p)
	return p
}

// Tanh has one polynomial in AVX-512 for both ranges of |x|: a mask selects the coefficients of
// tanh or expm1. NaN is treated as small.
func (t target) Tanh(x vec) vec {
	if !t.e.wide() {
		return elementwise.Tanh(t, x)
	}
	t.Comment("tanh(x): u = x², r = 2·min(|x|, TanhClamp)")
	u, r := t.e.vec(), t.e.vec()
	t.e.VMULPS(x, x, u)
	t.e.VRANGEPS(operand.U8(smallerPositive), t.e.float("tanhClamp", asm.TanhClamp), x, r)
	t.e.VADDPS(r, r, r)
	k := elementwise.TanhReduce(t, r)
	t.Comment("where |x| < TanhSplit: v = x, u = x²; elsewhere v = u = r")
	small := t.e.compare(notGreaterEqual, u, t.e.float("tanhSplit2", asm.TanhSplit*asm.TanhSplit))
	u = t.e.choose(small, u, r)
	t.e.VMOVAPS(x, small, r)
	odd, d := t.tanhSeries(small, u, r), t.e.vec()
	t.e.VMOVAPS(odd, d)
	y := elementwise.TanhQuotient(t, d, k)
	t.Comment("the polynomial where |x| < TanhSplit, the quotient elsewhere, with the sign of x")
	t.e.VMOVAPS(odd, small, y)
	t.e.VPTERNLOGD(operand.U8(selectBits), t.e.bits("absBits", ^uint32(asm.SignBit)), x, y)
	return y
}

const (
	notGreaterEqual = 0x19 // predicate of VCMPPS, true on NaN
	selectBits      = 0xe4 // truth table of VPTERNLOGD(m, x, y) for y&m | x&^m
)

// tanhSeries returns v + v³·p(v²) of tanh in the lanes of small and expm1(v) elsewhere. Both are
// v + u·v·q(u) with five coefficients in q, where u is v² in the former and v in the latter.
func (t target) tanhSeries(small mask, u, v vec) vec {
	t.Comment("v + u·v·q(u): the polynomial of tanh, or expm1(r)")
	w := t.e.vec()
	t.e.VMULPS(u, v, w)
	coefficient := func(i int) vec {
		large, odd := t.held(elementwise.ExpSeries[i]), elementwise.TanhSeries[i]
		return t.e.choose(small, t.e.repeated(odd.Name, math.Float32bits(odd.Value)), large)
	}
	q := coefficient(0)
	for i := range elementwise.TanhSeries[1:] {
		t.e.VFMADD213PS(coefficient(i+1), u, q)
	}
	t.e.VFMADD213PS(v, q, w)
	return w
}
