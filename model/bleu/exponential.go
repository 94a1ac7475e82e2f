package bleu

import "math"

// exponential returns eˣ for x ≤ 0, the same bits on every architecture (math.Exp is assembly
// on some of them).
//
// x = n·ln 2 + r with |r| ≤ ln 2 / 2, and the Taylor series of eʳ is cut after r¹⁴ (error
// below 2⁻⁵⁶).
func exponential(x float64) float64 {
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
