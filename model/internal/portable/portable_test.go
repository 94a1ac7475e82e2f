package portable

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExp allows a relative error of 2⁻⁵² for the series and 2⁻⁵² |x| for n·ln 2.
func TestExp(t *testing.T) {
	for x := 0.0; x > -740; x -= 0.0137 {
		want := math.Exp(x)
		if got := Exp(x); !(math.Abs(got-want) <= 0x1p-52*(1-x)*want+0x1p-1074) {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := Exp(math.Inf(-1)); got != 0 {
		t.Errorf("Exp(-Inf) = %v, want 0", got)
	}
	if got := Exp(math.NaN()); got == got {
		t.Errorf("Exp(NaN) = %v, want NaN", got)
	}
}

// TestPower compares with math.Pow and with exact powers.
func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(86, 0))
	for range 10_000 {
		x, alpha := float64(r.IntN(2000)), r.Float64()*[]float64{1, 10}[r.IntN(2)]
		got, want := Power(x, alpha), math.Pow(x, alpha)
		if !(math.Abs(got-want) <= 0x1p-45*want) {
			t.Errorf("%v^%v: got %v, want %v", x, alpha, got, want)
		}
	}
	for _, p := range [][3]float64{{7, 0, 1}, {0, 0, 1}, {0, 0.5, 0}, {7, 1, 7}, {4, 1.5, 8}, {16, 0.75, 8}, {3, 10, 59049}, {2, 5e-324, 1}} {
		if got := Power(p[0], p[1]); got != p[2] {
			t.Errorf("%v^%v: got %v, want %v", p[0], p[1], got, p[2])
		}
	}
}
