package elementwise

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

var (
	zero = Constant{"zero", 0}
	one  = Constant{"one", 1}
	two  = Constant{"two", 2}

	negativeInfinity = Constant{"negativeInfinity", float32(math.Inf(-1))}
	averageFloor     = Constant{"averageFloor", asm.AverageFloor}

	log2E      = Constant{"log2e", asm.Log2E}
	minusLog2E = Constant{"minusLog2e", -asm.Log2E}
	ln2        = Constant{"ln2", asm.Ln2}
	ln2High    = Constant{"ln2High", asm.Ln2High}
	ln2Low     = Constant{"ln2Low", asm.Ln2Low}
)

// The coefficients of the two polynomials, highest power first: exp(r) = 1 + r + r²·q(r), and
// tanh(a) = a + a³·p(a²).
var (
	ExpSeries = []Constant{
		{"expC6", asm.ExpC6}, {"expC5", asm.ExpC5}, {"expC4", asm.ExpC4}, {"expC3", asm.ExpC3}, {"expC2", asm.ExpC2},
	}
	TanhSeries = []Constant{
		{"tanhC11", asm.TanhC11}, {"tanhC9", asm.TanhC9}, {"tanhC7", asm.TanhC7}, {"tanhC5", asm.TanhC5}, {"tanhC3", asm.TanhC3},
	}
)

// Exp returns exp(x), where x out of range is clamped. It overwrites x. A product with 2ⁿ is one with two powers of
// about half of n, so that a subnormal result is rounded only once.
func Exp[R, V any](t Target[R, V], x V) V {
	t.Comment("exp(x), x clamped")
	t.AtMost(Constant{"expOver", asm.ExpOver}, x)
	t.AtLeast(Constant{"expUnder", asm.ExpUnder}, x)
	_, z := ExpReduce(t, x)
	sum, rest := ExpSum(t, x)
	t.Comment("p·2ⁿ = (sum·h + rest·h)·2ⁿ/h, h = 2^⌊n/2⌋: the products are exact")
	half := t.Vector()
	t.ShiftLeft(asm.ExponentLSB-1, z, half)
	t.AndBits("exponentBits", asm.ExponentBits, half, half)
	t.ShiftLeft(asm.ExponentLSB, z, z)
	t.SubInt(half, z, z)
	t.Mul(half, sum, sum)
	t.MulAdd(half, rest, sum)
	t.Mul(z, sum, sum)
	return sum
}

// ExpReduce replaces x by r = x - n·ln 2, with ln 2 as the sum of two constants, and returns n and z, which has
// n+2·ExponentBias in its low bits.
func ExpReduce[R, V any](t Target[R, V], x V) (n, z V) {
	t.Comment("n = round(x/ln 2), r = x - n·ln 2, |r| ≤ ln 2 / 2")
	n, z = round(t, x, log2E, 2*asm.ExponentBias)
	t.MulSubConstant(ln2High, n, x)
	t.MulSubConstant(ln2Low, n, x)
	return n, z
}

// ExpSum returns exp(r) = 1 + r + r²·q(r) as two terms: 1 + r, and the rest with the rounding error of that.
func ExpSum[R, V any](t Target[R, V], r V) (sum, rest V) {
	t.Comment("sum = 1 + r, lost = r - (sum - 1)")
	sum = t.Vector()
	lost := t.Vector()
	t.AddConstant(one, r, sum)
	t.SubConstant(one, sum, lost)
	t.Sub(lost, r, lost)
	t.Comment("rest = lost + r²·q(r)")
	return sum, t.Fused(squared(t, r), t.Horner(r, ExpSeries), lost)
}

// round returns n, the integer nearest to x·factor, and z, which has n+bias in its low bits.
func round[R, V any](t Target[R, V], x V, factor Constant, bias int) (n, z V) {
	magic := Constant{fmt.Sprintf("roundInt%d", bias), asm.RoundInt + float32(bias)}
	z, n = t.Affine(x, factor, magic), t.Vector()
	t.SubConstant(magic, z, n)
	return n, z
}

func squared[R, V any](t Target[R, V], x V) V {
	z := t.Vector()
	t.Mul(x, x, z)
	return z
}

// expTerm returns exp(x) for x ≤ 0, and 0 where that is subnormal. It overwrites x.
func expTerm[R, V any](t Target[R, V], x V) V {
	t.Comment("exp(x), x ≤ 0: n = round(x/ln 2), r = x - n·ln 2")
	return t.ZeroBelow(x, Constant{"expLow", asm.ExpLow}, func() V {
		n, k := round(t, x, log2E, asm.ExponentBias)
		t.MulSubConstant(ln2High, n, x)
		t.MulSubConstant(ln2Low, n, x)
		p := expm1(t, x)
		t.Comment("k + k·expm1(r), k = 2ⁿ, and 0 where x < ExpLow")
		t.ShiftLeft(asm.ExponentLSB, k, k)
		return t.Fused(p, k, k)
	})
}

// expm1 returns exp(r) - 1 = r + r²·q(r) for |r| ≤ ln 2 / 2. It may overwrite r.
func expm1[R, V any](t Target[R, V], r V) V {
	t.Comment("expm1(r) = r + r²·q(r)")
	return t.Fused(squared(t, r), t.Horner(r, ExpSeries), r)
}
