package kernels

import "math"

// fmaEmulated returns x*y + z rounded once to float32.
//
// The product of two float32 is exact in float64, so the only error of float32(x*y + z) is the double
// rounding of the sum. It matters only where the float64 sum is the midpoint of two float32, or where
// the result is subnormal, whose midpoints the test for the others does not find.
func fmaEmulated(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	if midpoint(s) || subnormal(s) {
		return float32(fmaExact(p, float64(z), s))
	}
	return float32(s)
}

// midpoint reports whether s is the midpoint of two normal float32: its low 29 bits, which a float32
// does not have, are 1000…0.
func midpoint(s float64) bool {
	return math.Float64bits(s)<<35 == 1<<63
}

// subnormal reports whether |s| is below the normal float32, but not 0.
func subnormal(s float64) bool {
	const (
		minNormal2   = (1023 - 126) << 53 // the bits of 2⁻¹²⁶, shifted left by the sign bit
		excludesZero = 1
	)
	return math.Float64bits(s)<<1-excludesZero < minNormal2-excludesZero
}

// fmaExact rounds p + c once to float32, where s is p + c rounded to float64. If the sum is inexact,
// it moves s to the neighbor with an odd last bit (round to odd), which rounds to float32 correctly
// (Boldo and Melquiond, 2008).
//
//go:noinline
func fmaExact(p, c, s float64) float64 {
	b := s - p
	e := float64(p-float64(s-b)) + float64(c-b) // p + c == s + e exactly
	if e != 0 && e-e == 0 {
		u := math.Float64bits(s)
		if u&1 == 0 {
			if (e > 0) == (s > 0) {
				u++
			} else {
				u--
			}
			s = math.Float64frombits(u)
		}
	}
	return float64(float32(s))
}
