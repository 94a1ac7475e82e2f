package kernels

import "math"

// logarithm returns the natural logarithm of x ≥ 0, the same bits on every architecture
// (math.Log is assembly on some of them).
//
// x = 2ᵉ·m with √½ ≤ m < √2, and log m = 2·artanh(s) = 2s + 2s³/3 + 2s⁵/5 + … for
// s = (m-1)/(m+1), |s| ≤ 0.1716, whose series is cut after s²¹ (error below 2⁻⁵⁵).
func logarithm(x float64) float64 {
	if x == 0 {
		return math.Inf(-1)
	}
	if x-x != 0 {
		return x
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	s := float64(m-1) / float64(m+1)
	z := float64(s * s)
	t := 0.0
	for n := 21; n > 1; n -= 2 {
		t = float64((t + 1/float64(n)) * z)
	}
	return float64(float64(e)*math.Ln2) + float64(2*s) + float64(2*s*t)
}
