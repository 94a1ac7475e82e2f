package kernels

import "math"

// fma returns x*y + z rounded once to float32.
//
// The product of two float32 is exact in float64, so the only error of
// float32(x*y + z) is the double rounding of the sum. That matters only where the
// float64 sum is the midpoint of two float32 (its low 29 bits are 1000…0), or where the
// result is subnormal and has fewer bits than that test assumes.
func fma(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	if doubtful(s) {
		return fmaExact(p, float64(z), s)
	}
	return float32(s)
}

// doubtful reports whether rounding s to float32 could differ from rounding the exact sum.
func doubtful(s float64) bool {
	u := math.Float64bits(s)
	const (
		low          = 1<<29 - 1
		midpoint     = 1 << 28
		minNormal2   = (1023 - 126) << 53 // the bits of 2⁻¹²⁶ without sign, doubled
		excludesZero = 1
	)
	return u&low == midpoint || u<<1-excludesZero < minNormal2-excludesZero
}

// fmaExact rounds p + c once to float32, where s is p + c rounded to float64: it moves s
// to the neighbour with an odd last bit if the sum was inexact (round to odd), after which
// rounding to float32 cannot err (Boldo and Melquiond, 2008).
func fmaExact(p, c, s float64) float32 {
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
	return float32(s)
}

// fmaRow sets acc[j] = fma(x, w[j], acc[j]); acc holds float32 values.
func fmaRow(acc *[panel]float64, x float64, w *[panel]float32) {
	for j := range acc {
		p := x * float64(w[j])
		s := p + acc[j]
		if doubtful(s) {
			acc[j] = float64(fmaExact(p, acc[j], s))
			continue
		}
		acc[j] = float64(float32(s))
	}
}
