package kernels

import (
	"math"
	"testing"

	"github.com/softsearch-go/softsearch/asm"
)

func gelu64(x float64) float64 { return x / (1 + math.Exp(-geluExponent(x))) }

func geluExponent(x float64) float64 { return 2 * math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x) }

// TestGELU bounds the error against float64 at magnitudes throughout float32. In x/(1+exp(-u))
// u has a relative error of a few 2⁻²⁴, which for x < 0 becomes a relative error of |u| times
// that.
func TestGELU(t *testing.T) {
	stride := uint32(1999)
	if testing.Short() {
		stride = 39989
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		var x, y [block]float32
		for first := uint64(0); first < 1<<32; first += uint64(stride) * block {
			for i := range x {
				x[i] = math.Float32frombits(uint32(first + uint64(i)*uint64(stride)))
			}
			k.GELU(y[:], x[:])
			for i, got := range y {
				v := float64(x[i])
				switch {
				case v != v:
					if got == got {
						t.Fatalf("%s GELU(NaN) = %g", k, got)
					}
				case v >= 0:
					if u := ulp(got, gelu64(v)); !(u <= 2) {
						t.Fatalf("%s GELU(%b) = %b, error %.2f ULP, want at most 2", k, x[i], got, u)
					}
				case x[i] >= asm.GELULow:
					want := gelu64(v)
					bound := 2 - 2.5*geluExponent(v)
					if u := ulp(-got, -want); !(u <= bound) || math.Abs(float64(got)-want) > 0x1p-24 {
						t.Fatalf("%s GELU(%b) = %b, error %.2f ULP, want at most %.2f and 2⁻²⁴", k, x[i], got, u, bound)
					}
				default:
					if !same(got, 0) {
						t.Fatalf("%s GELU(%b) = %b, want +0", k, x[i], got)
					}
				}
			}
		}
		if next := gelu64(math.Nextafter(float64(asm.GELULow), -1e3)); !(-0x1p-122 < next && next < 0) {
			t.Errorf("below GELULow the values start at %g, want them between -2⁻¹²² and 0", next)
		}
	})
}
