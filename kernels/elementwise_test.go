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
