package kernels

import (
	"math"
	"math/big"
	"testing"
)

// The bounds of the argument of Sigmoid.
const sigmoidLow, sigmoidHigh float32 = -87.3, 88

// clampedSigmoid is the sigmoid of x between its bounds.
func clampedSigmoid(x float64) float64 {
	return sigmoid64(min(max(x, float64(sigmoidLow)), float64(sigmoidHigh)))
}

const precision = 160 // bits of the references of references

// bigExp returns eˣ to within 2⁻¹²⁰ of itself, for |x| ≤ 256: the Taylor series of exp(x/2¹⁶),
// cut after the 15th power of at most 2⁻⁸, squared 16 times.
func bigExp(x float64) *big.Float {
	const halvings, terms = 16, 15
	r := new(big.Float).SetPrec(precision).SetFloat64(x)
	r.SetMantExp(r, -halvings)
	one, n := big.NewFloat(1), new(big.Float)
	e := new(big.Float).SetPrec(precision).Set(one)
	for i := terms; i > 0; i-- {
		e.Mul(e, r).Quo(e, n.SetInt64(int64(i))).Add(e, one)
	}
	for range halvings {
		e.Mul(e, e)
	}
	return e
}

// bigTanh returns (e²ˣ-1)/(e²ˣ+1), of whose precision the difference costs 12 bits at 2⁻¹².
func bigTanh(x float64) *big.Float {
	e, one := bigExp(2*x), big.NewFloat(1)
	above := new(big.Float).SetPrec(precision).Add(e, one)
	return e.Sub(e, one).Quo(e, above)
}

func bigSigmoid(x float64) *big.Float {
	e, one := bigExp(-x), big.NewFloat(1)
	return e.Quo(one, e.Add(e, one))
}

// TestReferences compares the float64 references of TestAccuracy with multiple precision.
func TestReferences(t *testing.T) {
	count := 5000
	if testing.Short() {
		count /= 10
	}
	r := newRand(8)
	for i, exact := range []func(float64) *big.Float{bigExp, bigTanh, bigSigmoid} {
		f := functions[i]
		for n := range count {
			x := float64(f.far) * (2*r.Float64() - 1)
			if n%2 == 1 {
				x = math.Ldexp(x, -r.IntN(18))
			}
			x = float64(float32(x))
			want := exact(x)
			off := new(big.Float).SetFloat64(f.exact(x))
			off.SetPrec(precision).Sub(off, want).Quo(off, want)
			if relative, _ := off.Float64(); !(math.Abs(relative) <= 0x1p-50) {
				t.Fatalf("%s reference at %b: relative error %g, want at most 2⁻⁵⁰", f.name, x, relative)
			}
		}
	}
}
