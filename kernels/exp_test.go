package kernels

import (
	"flag"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/asm"
)

// A function is an elementwise kernel with its reference and the bound of its error.
type function struct {
	name     string
	run      func(k Impl, dst, src []float32)
	exact    func(x float64) float64
	ulps     float64
	from, to float64 // the results to which the bound applies
}

// The largest errors over all arguments, which -exhaustive finds, are 1.024 ULP for Exp,
// 1.332 for Tanh and 2.481 for Sigmoid.
var functions = []function{
	{"Exp", Impl.Exp, math.Exp, 1.03, 0, math.MaxFloat32},
	{"Tanh", Impl.Tanh, math.Tanh, 1.5, -1, 1},
	{"Sigmoid", Impl.Sigmoid, clampedSigmoid, 2.5, 0, 1},
}

// clampedSigmoid is the sigmoid of x between the bounds of asm.
func clampedSigmoid(x float64) float64 {
	return sigmoid64(min(max(x, float64(asm.SigmoidLow)), float64(asm.SigmoidHigh)))
}

// sweep calls f with every stride-th of the 2³² bit patterns, a block at a time.
func sweep(stride uint64, f func(x []float32)) {
	x := make([]float32, 0, block)
	for u := uint64(0); u < 1<<32; u += stride {
		if x = append(x, math.Float32frombits(uint32(u))); len(x) == block {
			f(x)
			x = x[:0]
		}
	}
	f(x)
}

var exhaustive = flag.Bool("exhaustive", false, "measure the error at all float32")

func TestAccuracy(t *testing.T) {
	stride := uint64(4099)
	if testing.Short() {
		stride *= 8
	}
	if *exhaustive {
		stride = 1
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, f := range functions {
			worst, at := -1.0, float32(0)
			y := make([]float32, block)
			check := func(x []float32) {
				f.run(k, y[:len(x)], x)
				for i, v := range x {
					want := f.exact(float64(v))
					switch {
					case want != want:
						if y[i] == y[i] {
							t.Fatalf("%s(%g) = %g, want NaN", f.name, v, y[i])
						}
					case want >= f.from && want <= f.to:
						if u := ulp(y[i], want); !(u <= worst) {
							worst, at = u, v
						}
					}
				}
			}
			sweep(stride, check)
			check(specials)
			if !(worst <= f.ulps) || worst < 0 {
				t.Errorf("%s %s(%b): error %.4f ULP, want at most %g", k, f.name, at, worst, f.ulps)
			}
		}
	})
}

func TestElementwiseSpecial(t *testing.T) {
	low, high := clampedSigmoid(math.Inf(-1)), clampedSigmoid(math.Inf(1))
	cases := []struct {
		name    string
		run     func(k Impl, dst, src []float32)
		x, want float32
	}{
		{"Exp", Impl.Exp, 0, 1}, {"Exp", Impl.Exp, negZero, 1}, {"Exp", Impl.Exp, math.SmallestNonzeroFloat32, 1},
		{"Exp", Impl.Exp, inf, inf}, {"Exp", Impl.Exp, -inf, 0}, {"Exp", Impl.Exp, nan, nan},
		{"Exp", Impl.Exp, math.MaxFloat32, inf}, {"Exp", Impl.Exp, -math.MaxFloat32, 0}, {"Exp", Impl.Exp, 89, inf},
		{"Exp", Impl.Exp, -104, 0}, {"Exp", Impl.Exp, -103, float32(math.Exp(-103))},
		{"Tanh", Impl.Tanh, 0, 0}, {"Tanh", Impl.Tanh, negZero, negZero}, {"Tanh", Impl.Tanh, nan, nan},
		{"Tanh", Impl.Tanh, inf, 1}, {"Tanh", Impl.Tanh, -inf, -1}, {"Tanh", Impl.Tanh, 9.02, 1}, {"Tanh", Impl.Tanh, -10, -1},
		{"Tanh", Impl.Tanh, math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat32},
		{"Tanh", Impl.Tanh, -0x1.fffffcp-127, -0x1.fffffcp-127},
		{"Sigmoid", Impl.Sigmoid, 0, 0.5}, {"Sigmoid", Impl.Sigmoid, negZero, 0.5}, {"Sigmoid", Impl.Sigmoid, nan, nan},
		{"Sigmoid", Impl.Sigmoid, inf, float32(high)}, {"Sigmoid", Impl.Sigmoid, math.SmallestNonzeroFloat32, 0.5},
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range cases {
			y := []float32{0}
			c.run(k, y, []float32{c.x})
			if !same(y[0], c.want) {
				t.Errorf("%s %s(%g) = %g, want %g", k, c.name, c.x, y[0], c.want)
			}
		}
		y := []float32{-inf, -math.MaxFloat32, asm.SigmoidLow, math.Nextafter32(asm.SigmoidLow, -inf)}
		k.Sigmoid(y, y)
		for i, v := range y {
			if v != y[0] || ulp(v, low) > 2.5 {
				t.Errorf("%s Sigmoid below its bound [%d] = %g, want %g", k, i, v, low)
			}
		}
	})
}

// TestTanhOdd also holds |tanh| ≤ 1.
func TestTanhOdd(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		y, minus := make([]float32, block), make([]float32, block)
		sweep(4099*16, func(x []float32) {
			k.Tanh(y[:len(x)], x)
			for i, v := range x {
				minus[i] = -v
			}
			k.Tanh(minus[:len(x)], minus[:len(x)])
			for i, v := range x {
				if !same(minus[i], -y[i]) || y[i] > 1 || y[i] < -1 {
					t.Fatalf("%s tanh(%b) = %b, tanh(%b) = %b", k, v, y[i], -v, minus[i])
				}
			}
		})
	})
}

// TestMonotone checks windows of consecutive numbers: where the functions change their
// expression or their power of two, and in between.
func TestMonotone(t *testing.T) {
	centres := []float32{
		0x1p-20, 0.01, 0.3465736, 0.625, 0.6931472, 1, 1.0397208, 2, 5, 9.011, 10, 50, 87.3, 88, 88.72, 89,
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, f := range functions {
			for _, centre := range centres {
				for _, sign := range []float32{1, -1} {
					x, y := make([]float32, block), make([]float32, block)
					for i := range x {
						x[i] = sign * math.Float32frombits(math.Float32bits(centre)-block/2+uint32(i))
					}
					slices.Sort(x)
					f.run(k, y, x)
					for i := 1; i < block; i++ {
						if !(y[i] >= y[i-1]) {
							t.Fatalf("%s %s(%b) = %b, %s(%b) = %b", k, f.name, x[i-1], y[i-1], f.name, x[i], y[i])
						}
					}
				}
			}
		}
	})
}

// TestInPlace compares the kernels whose result may replace an operand.
func TestInPlace(t *testing.T) {
	kernels := []struct {
		name string
		n    int // operands, of which the last may be the result
		run  func(k Impl, dst []float32, v [][]float32)
	}{
		{"Exp", 1, func(k Impl, dst []float32, v [][]float32) { k.Exp(dst, v[0]) }},
		{"Tanh", 1, func(k Impl, dst []float32, v [][]float32) { k.Tanh(dst, v[0]) }},
		{"Sigmoid", 1, func(k Impl, dst []float32, v [][]float32) { k.Sigmoid(dst, v[0]) }},
		{"Softmax", 1, func(k Impl, dst []float32, v [][]float32) { k.Softmax(dst, v[0]) }},
		{"TanhBackward", 2, func(k Impl, dst []float32, v [][]float32) { k.TanhBackward(dst, v[0], v[1]) }},
		{"SoftmaxBackward", 2, func(k Impl, dst []float32, v [][]float32) { k.SoftmaxBackward(dst, v[0], v[1]) }},
		{"GRUStateBackward", 4, func(k Impl, dst []float32, v [][]float32) { k.GRUStateBackward(dst, v[0], v[1], v[2], v[3]) }},
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range kernels {
			for _, n := range []int{1, 7, 8, 16, 67, block + 3} {
				r := newRand(uint64(n))
				values := make([][]float32, c.n)
				for i := range values {
					values[i] = random(r, n)
				}
				separate, place := clone(values), clone(values)
				want, got := make([]float32, n), place[c.n-1]
				c.run(k, want, separate)
				c.run(k, got, place)
				if i := differs(got, want); i >= 0 {
					t.Errorf("%s %s n=%d in place [%d] = %g, want %g", k, c.name, n, i, got[i], want[i])
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
		// The error of y, 1.5 ULP of at most 1, times 2y, and two roundings, all times |dy| ≤ 4.
		near(t, "TanhBackward", k, dx, want, 4*5*0x1p-24)
	})
}
