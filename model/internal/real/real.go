// Package real has functions of real numbers that give the same bits on every machine, which those of
// package math do not promise: some are assembly. It uses only operations that IEEE 754 rounds correctly.
package real

import "math"

// Exp returns eˣ for x ≤ 0.
//
// x = n·ln 2 + r with |r| ≤ ln 2 / 2, and the Taylor series of eʳ ends after r¹⁴ (error below
// 2⁻⁵⁶).
func Exp(x float64) float64 {
	const underflow = -745.2
	if x < underflow {
		return 0
	}
	n := math.Round(x / math.Ln2)
	r := x - float64(n*math.Ln2)
	t := 1.0
	for k := 14; k > 0; k-- {
		t = 1 + float64(t*r)/float64(k)
	}
	return math.Ldexp(t, int(n))
}

// Power returns xᵅ for x ≥ 0 and α ≥ 0. The fraction of α is Σ bₖ2⁻ᵏ with bits bₖ, and bit k
// contributes the k-fold square root. The relative error is below 2⁻⁴⁵ for α ≤ 10.
func Power(x, alpha float64) float64 {
	whole, fraction := math.Modf(alpha)
	p := 1.0
	for ; whole > 0; whole-- {
		p *= x
	}
	for root := x; fraction > 0; {
		root = math.Sqrt(root)
		if fraction *= 2; fraction >= 1 {
			p *= root
			fraction--
		}
	}
	return p
}
