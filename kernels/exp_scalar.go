package kernels

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

// The constants of asm in float64.
const (
	log2E    = float64(asm.Log2E)
	roundInt = float64(asm.RoundInt)
	ln2High  = float64(asm.Ln2High)
	ln2Low   = float64(asm.Ln2Low)
	ln2      = float64(asm.Ln2)
	expC6    = float64(asm.ExpC6)
	expC5    = float64(asm.ExpC5)
	expC4    = float64(asm.ExpC4)
	expC3    = float64(asm.ExpC3)
	expC2    = float64(asm.ExpC2)
	tanhC11  = float64(asm.TanhC11)
	tanhC9   = float64(asm.TanhC9)
	tanhC7   = float64(asm.TanhC7)
	tanhC5   = float64(asm.TanhC5)
	tanhC3   = float64(asm.TanhC3)
)

// The functions below hold float32 values in float64. Sums of a product are rounded once,
// by once; float32(…) rounds every other operation.

// expReduce returns the integer n nearest to x·log₂e and r = x - n·ln 2, for |x| ≤ 104.
func expReduce(x float64) (n, r float64) {
	p := x * log2E
	n = once(p+roundInt, p, roundInt) - roundInt
	p = -n * ln2High
	r = once(p+x, p, x)
	p = -n * ln2Low
	return n, once(p+r, p, r)
}

// expm1 returns base + r²·q(r), for |r| ≤ ln 2 / 2: exp(r) - 1 where base is r.
func expm1(r, base float64) float64 {
	p := r * expC6
	q := once(p+expC5, p, expC5)
	p = r * q
	q = once(p+expC4, p, expC4)
	p = r * q
	q = once(p+expC3, p, expC3)
	p = r * q
	q = once(p+expC2, p, expC2)
	p = float64(float32(r*r)) * q
	return once(p+base, p, base)
}

// pow2 returns 2ⁿ for the integers -126 ≤ n ≤ 127.
func pow2(n float64) float64 {
	return float64(math.Float32frombits(uint32(int32(n)+asm.ExponentBias) << asm.ExponentLSB))
}

// expDenominator returns 1 + 2ⁿ·(1+p).
func expDenominator(n, p float64) float32 {
	k := pow2(n)
	one := float64(float32(k + 1))
	p *= k
	return float32(once(p+one, p, one))
}

// exp adds 1 and r with their rounding error, and scales in two steps, so that only the
// second one can leave the normal numbers.
func exp(x float32) float32 {
	if asm.ExpOver < x {
		x = asm.ExpOver
	}
	if asm.ExpUnder > x {
		x = asm.ExpUnder
	}
	n, r := expReduce(float64(x))
	sum := 1 + float32(r)
	lost := float32(r) - (sum - 1)
	e := sum + float32(expm1(r, float64(lost)))
	half := float64(int32(n) >> 1)
	return float32(e*float32(pow2(half))) * float32(pow2(n-half))
}

// expTerm returns exp(x), or 0 where that is no normal number; x is at most 0 or NaN.
func expTerm(x float32) float32 {
	if x < asm.ExpLow {
		return 0
	}
	n, r := expReduce(float64(x))
	k := pow2(n)
	p := expm1(r, r) * k
	return float32(once(p+k, p, k))
}

// tanh takes exp(2|x|) with ln 2 as one constant, whose error the division makes small.
func tanh(x float32) float32 {
	a := math.Float32frombits(math.Float32bits(x) &^ asm.SignBit)
	var y float32
	if a < asm.TanhSplit {
		y = tanhSmall(float64(a))
	} else {
		if asm.TanhClamp < a {
			a = asm.TanhClamp
		}
		b := float64(2 * a)
		p := b * log2E
		n := once(p+roundInt, p, roundInt) - roundInt
		p = -n * ln2
		r := once(p+b, p, b)
		y = 1 - 2/expDenominator(n, expm1(r, r))
	}
	return math.Float32frombits(math.Float32bits(y) | math.Float32bits(x)&asm.SignBit)
}

func tanhSmall(a float64) float32 {
	z := float64(float32(a * a))
	p := z * tanhC11
	t := once(p+tanhC9, p, tanhC9)
	p = z * t
	t = once(p+tanhC7, p, tanhC7)
	p = z * t
	t = once(p+tanhC5, p, tanhC5)
	p = z * t
	t = once(p+tanhC3, p, tanhC3)
	p = t * float64(float32(z*a))
	return float32(once(p+a, p, a))
}

func sigmoid(x float32) float32 { return logistic(1, x) }

// logistic returns a/(1+exp(-x)), x taken between its bounds.
func logistic(a, x float32) float32 {
	if asm.SigmoidHigh < x {
		x = asm.SigmoidHigh
	}
	if asm.SigmoidLow > x {
		x = asm.SigmoidLow
	}
	n, r := expReduce(-float64(x))
	return a / expDenominator(n, expm1(r, r))
}
