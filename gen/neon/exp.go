package neon

import (
	"fmt"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Exp generates the exponential.
func Exp(file *a64.File) {
	e := newEmitter(file)
	e.elementwise(decl.Exp, 3, e.exp)
}

// exp returns exp(x) = 2ⁿ·(1 + r + r²·q(r)), 1 and r added with the rounding error of their sum.
// It overwrites x.
func (e *emitter) exp(x a64.V) a64.V {
	e.Comment("exp(x): n = round(x/ln 2), r = x - n·ln 2, |r| ≤ ln 2 / 2")
	e.VFMIN(e.float("expOver", asm.ExpOver), x, x)
	e.VFMAX(e.float("expUnder", asm.ExpUnder), x, x)
	n, z := e.round(x, 2*asm.ExponentBias)
	e.reduce2(n, x)
	e.Comment("sum = 1 + r, lost = r - (sum - 1)")
	one := e.float("one", 1)
	r, sum, lost := x, e.Vector(), e.Vector()
	e.VFADD(r, one, sum)
	e.VFSUB(one, sum, lost)
	e.VFSUB(lost, r, lost)
	e.Comment("p = sum + (lost + r²·q(r))")
	q := e.expSeries(r)
	e.VFMLA(e.squared(r), q, lost)
	e.VFADD(lost, sum, sum)
	e.timesPow2(sum, z)
	return sum
}

// round returns n, the integer nearest to x·log₂e, and z, which has n+bias in its low bits.
func (e *emitter) round(x a64.V, bias int) (n, z a64.V) {
	name, magic := fmt.Sprintf("roundInt%d", bias), asm.RoundInt+float32(bias)
	z = e.loaded(name, magic)
	e.VFMLA(e.float("log2e", asm.Log2E), x, z)
	n = e.Vector()
	e.VFSUB(e.float(name, magic), z, n)
	return n, z
}

// reduce2 replaces x by r = x - n·ln 2, with ln 2 as the sum of two constants.
func (e *emitter) reduce2(n, x a64.V) {
	e.VFMLS(e.float("ln2High", asm.Ln2High), n, x)
	e.VFMLS(e.float("ln2Low", asm.Ln2Low), n, x)
}

// pow2 replaces z, which has n+ExponentBias in its low bits, by 2ⁿ.
func (e *emitter) pow2(z a64.V) { e.VSHL(asm.ExponentLSB, z, z) }

// timesPow2 multiplies p by 2ⁿ, where z has n+2·ExponentBias in its low bits, by two powers of about
// half of n, so that a subnormal result is rounded only once.
func (e *emitter) timesPow2(p, z a64.V) {
	e.Comment("p·2ⁿ = (p·2^⌊n/2⌋)·2^(n-⌊n/2⌋)")
	half := e.Vector()
	e.VSHL(asm.ExponentLSB-1, z, half)
	e.VAND(e.bits("exponentBits", asm.ExponentBits), half, half)
	e.VSHL(asm.ExponentLSB, z, z)
	e.VSUB(half, z, z)
	e.VFMUL(half, p, p)
	e.VFMUL(z, p, p)
}

// expTerm returns exp(x) for x ≤ 0, and 0 where that is subnormal. It overwrites x.
func (e *emitter) expTerm(x a64.V) a64.V {
	e.Comment("exp(x), x ≤ 0: n = round(x/ln 2), r = x - n·ln 2")
	under := e.larger(e.float("expLow", asm.ExpLow), x)
	n, k := e.round(x, asm.ExponentBias)
	e.reduce2(n, x)
	p := e.expm1(x)
	e.Comment("k + k·expm1(r), k = 2ⁿ, and 0 where x < ExpLow")
	e.pow2(k)
	e.VFMLA(p, k, k)
	e.clear(under, k)
	return k
}

// expm1 returns exp(r) - 1 = r + r²·q(r) for |r| ≤ ln 2 / 2. It overwrites r.
func (e *emitter) expm1(r a64.V) a64.V {
	e.Comment("expm1(r) = r + r²·q(r)")
	q := e.expSeries(r)
	e.VFMLA(e.squared(r), q, r)
	return r
}

// expSeries returns q(r), where exp(r) = 1 + r + r²·q(r).
func (e *emitter) expSeries(r a64.V) a64.V { return e.horner(r, expName, expC) }

func (e *emitter) squared(r a64.V) a64.V {
	z := e.Vector()
	e.VFMUL(r, r, z)
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
func (e *emitter) horner(v a64.V, name func(i int) string, c [5]float32) a64.V {
	q := e.float(name(0), c[0])
	for i := 1; i < len(c); i++ {
		next := e.loaded(name(i), c[i])
		e.VFMLA(q, v, next)
		q = next
	}
	return q
}
