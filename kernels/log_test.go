package kernels

import (
	"math"
	"testing"
)

// TestLogarithm bounds the error by 3 ULP of float64: one for each of the roundings of
// s, of its series and of the sum; math.Log is good to 1 ULP.
func TestLogarithm(t *testing.T) {
	r := newRand(1)
	for i := range 200_000 {
		x := math.Exp(r.Float64()*1400 - 700)
		switch i % 3 {
		case 1:
			x = math.Abs(1 + r.NormFloat64()/float64(1+i%1000))
		case 2:
			x = 1 + r.Float64()*1e5
		}
		got, want := logarithm(x), math.Log(x)
		if d := math.Abs(got - want); !(d <= 4*math.Abs(want)*0x1p-53*2) {
			t.Fatalf("logarithm(%b) = %b, want %b", x, got, want)
		}
	}
	for _, c := range [][2]float64{
		{0, math.Inf(-1)}, {1, 0}, {math.Inf(1), math.Inf(1)}, {math.NaN(), math.NaN()},
		{math.SmallestNonzeroFloat64, -1074 * math.Ln2}, {math.E, 1}, {2, math.Ln2},
	} {
		got, want := logarithm(c[0]), c[1]
		if got != want && !(math.Abs(got-want) <= math.Abs(want)*0x1p-51) && !(got != got && want != want) {
			t.Errorf("logarithm(%g) = %g, want %g", c[0], got, want)
		}
	}
}
