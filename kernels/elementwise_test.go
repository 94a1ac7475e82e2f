package kernels

import (
	"math"
	"testing"

	"github.com/softsearch-go/softsearch/asm"
)

// TestElementwiseSpecial runs every case at each position of one and a half vectors.
func TestElementwiseSpecial(t *testing.T) {
	const least, most = math.SmallestNonzeroFloat32, math.MaxFloat32
	const denormal = 0x1.fffffcp-127 // the largest
	lowest := sigmoid(sigmoidLow)
	cases := []struct {
		name    string
		run     func(k Impl, dst, src []float32)
		results [][2]float32 // argument and result
	}{
		{"Exp", Impl.Exp, [][2]float32{
			{0, 1}, {negZero, 1}, {least, 1}, {-least, 1}, {denormal, 1}, {-denormal, 1}, {nan, nan},
			{inf, inf}, {most, inf}, {asm.ExpOver, inf}, {-inf, 0}, {-most, 0}, {asm.ExpUnder, 0}, {-103, least},
		}},
		{"Tanh", Impl.Tanh, [][2]float32{
			{0, 0}, {negZero, negZero}, {least, least}, {-least, -least}, {denormal, denormal}, {-denormal, -denormal},
			{nan, nan}, {inf, 1}, {most, 1}, {asm.TanhClamp, 1}, {9.02, 1}, {-inf, -1}, {-most, -1}, {-9.02, -1},
		}},
		{"Sigmoid", Impl.Sigmoid, [][2]float32{
			{0, 0.5}, {negZero, 0.5}, {least, 0.5}, {-least, 0.5}, {denormal, 0.5}, {-denormal, 0.5}, {nan, nan},
			{inf, 1}, {most, 1}, {sigmoidHigh, 1}, {-inf, lowest}, {-most, lowest}, {sigmoidLow, lowest},
			{math.Nextafter32(sigmoidLow, -inf), lowest},
		}},
		{"ReLU", Impl.ReLU, [][2]float32{
			{0, 0}, {negZero, 0}, {least, least}, {-least, 0}, {1, 1}, {-1, 0}, {most, most}, {-most, 0},
			{inf, inf}, {-inf, 0}, {nan, nan},
		}},
		{"GELU", Impl.GELU, [][2]float32{
			{0, 0}, {negZero, negZero}, {least, 0}, {-least, negZero}, {denormal, 0x1p-127}, {-denormal, -0x1p-127},
			{0x1p-60, 0x1p-61}, {8, 8}, {0x1p64, 0x1p64}, {most, most}, {inf, inf}, {nan, nan},
			{math.Nextafter32(asm.GELULow, -inf), 0}, {-10, 0}, {-0x1p64, 0}, {-most, 0}, {-inf, 0},
		}},
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		const n = 24
		for _, c := range cases {
			for _, r := range c.results {
				for at := range n {
					x := make([]float32, n)
					x[at] = r[0]
					c.run(k, x, x)
					if !same(x[at], r[1]) {
						t.Fatalf("%s %s(%b) at %d = %b, want %b", k, c.name, r[0], at, x[at], r[1])
					}
				}
			}
		}
	})
}

func TestTanhBackward(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		r := newRand(1)
		x, dy := random(r, 67), random(r, 67)
		y, dx, want := make([]float32, 67), make([]float32, 67), make([]float64, 67)
		k.Tanh(y, x)
		k.TanhBackward(dx, y, dy)
		for i, v := range wider(x) {
			want[i] = slope(func() float64 { return float64(dy[i]) * math.Tanh(v) }, &v)
		}
		// The error of y, 1.5 ULP of a value up to 1, times 2y, and two roundings, all times |dy| ≤ 4.
		near(t, "TanhBackward", k, dx, want, 4*5*0x1p-24)
	})
}

func gelu64(x float64) float64 { return x / (1 + math.Exp(-geluExponent(x))) }

func geluExponent(x float64) float64 { return 2 * math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x) }

// TestGELU bounds the error against float64 throughout the float32 range. In x/(1+exp(-u)), u has a
// relative error of a few 2⁻²⁴, which for x < 0 becomes a relative error |u| times as large.
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
