package kernels

import "math"

// fma returns x*y + z rounded once to float32.
//
// The product of two float32 is exact in float64, so the only error of float32(x*y + z) is the double
// rounding of the sum. It matters only where the float64 sum is the midpoint of two float32, or where
// the result is subnormal, whose midpoints the test for the others does not find.
func fma(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	if midpoint(s) || subnormal(s) {
		return float32(fmaExact(p, float64(z), s))
	}
	return float32(s)
}

// once returns p + c rounded once to float32, where p is an exact product, s is p + c rounded to
// float64, and the result is 0 or a normal number, or p + c is exact. It spells out the test of
// midpoint, because the compiler does not inline once otherwise.
func once(s, p, c float64) float64 {
	if math.Float64bits(s)<<35 == 1<<63 {
		return fmaExact(p, c, s)
	}
	return float64(float32(s))
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

// chainWidth is the number of outputs whose chains fmaChains keeps in registers.
const chainWidth = 4

// fmaChains adds depth terms to each of chainWidth chains: acc[j] = fma(x[k*step], w[k*16+j], acc[j]),
// k ascending. acc holds float32 values.
func fmaChains(acc *[chainWidth]float64, x []float32, step int, w []float32, depth int) {
	a0, a1, a2, a3 := acc[0], acc[1], acc[2], acc[3]
	for k := range depth {
		v := (*[chainWidth]float32)(w[k*panel:])
		b := float64(x[k*step])
		s0, s1, s2, s3 := b*float64(v[0])+a0, b*float64(v[1])+a1, b*float64(v[2])+a2, b*float64(v[3])+a3
		if midpoint(s0) || midpoint(s1) || midpoint(s2) || midpoint(s3) ||
			subnormal(s0) || subnormal(s1) || subnormal(s2) || subnormal(s3) {
			a0, a1 = fmaExact(b*float64(v[0]), a0, s0), fmaExact(b*float64(v[1]), a1, s1)
			a2, a3 = fmaExact(b*float64(v[2]), a2, s2), fmaExact(b*float64(v[3]), a3, s3)
			continue
		}
		a0, a1, a2, a3 = float64(float32(s0)), float64(float32(s1)), float64(float32(s2)), float64(float32(s3))
	}
	acc[0], acc[1], acc[2], acc[3] = a0, a1, a2, a3
}
