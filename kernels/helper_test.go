package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/softsearch-go/softsearch/asm"
)

func eachImpl(t *testing.T, f func(t *testing.T, k Impl)) {
	t.Helper()
	for _, k := range Available() {
		t.Run(k.String(), func(t *testing.T) { f(t, k) })
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1409)) }

var (
	inf     = float32(math.Inf(1))
	nan     = float32(math.NaN())
	negZero = float32(math.Copysign(0, -1))
)

// specials holds the values at which a kernel can take another path: zeros, infinities, NaN, the
// smallest and largest normal and subnormal numbers, and the limits of the elementwise functions, with
// their neighbors.
var specials = func() []float32 {
	list := []float32{0, negZero, inf, -inf, nan, 1, -1, 2, -2, 0.5, -0.5}
	limits := []float32{
		math.SmallestNonzeroFloat32, 0x1p-127, 0x1.fffffcp-127, 0x1p-126, math.MaxFloat32,
		asm.ExpLow, asm.ExpUnder, asm.ExpOver, asm.TanhSplit, asm.TanhClamp,
		asm.SigmoidLow, asm.SigmoidHigh, asm.AverageFloor, 0x1p-60, 0x1p-74, 0x1.62e43p6, 9.011,
	}
	for _, v := range limits {
		for _, w := range []float32{v, math.Nextafter32(v, inf), math.Nextafter32(v, -inf)} {
			list = append(list, w, -w)
		}
	}
	return list
}()

// A fill sets x to values of one kind.
type fill struct {
	name string
	set  func(r *rand.Rand, x []float32)
}

func each(value func(r *rand.Rand) float32) func(r *rand.Rand, x []float32) {
	return func(r *rand.Rand, x []float32) {
		for i := range x {
			x[i] = value(r)
		}
	}
}

func normal(r *rand.Rand) float32 { return float32(r.NormFloat64()) }

func rawBits(r *rand.Rand) float32 { return math.Float32frombits(r.Uint32()) }

// tiny returns signed zeros and values whose products are subnormal or round to zero.
func tiny(r *rand.Rand) float32 {
	switch r.IntN(8) {
	case 0:
		return 0
	case 1:
		return negZero
	}
	return float32(math.Ldexp(r.Float64()-0.5, -60-r.IntN(90)))
}

// negative returns values of one sign, whose products with each other round to zero.
func negative(sign float32) func(r *rand.Rand) float32 {
	return func(r *rand.Rand) float32 { return sign * float32(math.Ldexp(1+r.Float64(), -100)) }
}

func wide(r *rand.Rand) float32 {
	return float32(math.Ldexp(r.Float64()*2-1, r.IntN(40)-20))
}

func special(r *rand.Rand) float32 {
	if r.IntN(4) == 0 {
		return normal(r)
	}
	return specials[r.IntN(len(specials))]
}

// rarely returns normal values and a special value now and then, so that some sums stay finite.
func rarely(r *rand.Rand) float32 {
	if r.IntN(50) == 0 {
		return special(r)
	}
	return normal(r)
}

var fills = []fill{
	{"normal", each(normal)},
	{"wide", each(wide)},
	{"tiny", each(tiny)},
	{"underflow", func(r *rand.Rand, x []float32) { each(negative(float32(1-2*r.IntN(2))))(r, x) }},
	{"special", each(special)},
	{"rarely", each(rarely)},
	{"raw", each(rawBits)},
}

func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	each(normal)(r, x)
	return x
}

// same reports whether a and b have the same bits or are both NaN.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// differs returns the first index at which got and want differ, or -1.
func differs(got, want []float32) int {
	for i := range want {
		if !same(got[i], want[i]) {
			return i
		}
	}
	return -1
}

// ulp returns the distance of got from want in units of the spacing of float32 at want. From
// 2¹²⁸ on both count as 2¹²⁸, where rounding to float32 gives infinity.
func ulp(got float32, want float64) float64 {
	const limit = 0x1p128
	want = min(want, limit)
	exponent := int(math.Float64bits(want)>>52&0x7ff) - 1023
	spacing := max(exponent-23, -149)
	return math.Abs(min(float64(got), limit)-want) * math.Float64frombits(uint64(1023-spacing)<<52)
}

// exactFMA returns x*y + z rounded once, for finite arguments, in exact arithmetic.
func exactFMA(x, y, z float32) float32 {
	if x == 0 || y == 0 {
		return x*y + z // x*y is a zero, and this sum has its sign right
	}
	p := new(big.Float).SetPrec(64).SetFloat64(float64(x))
	p.Mul(p, big.NewFloat(float64(y)))
	if z != 0 {
		// The terms lie between 2⁻²⁹⁸ and 2²⁵⁶.
		p.SetPrec(600).Add(p, big.NewFloat(float64(z)))
	}
	if p.Sign() == 0 {
		return 0 // x*y = -z ≠ 0
	}
	v, _ := p.Float32()
	return v
}

// slope returns the central difference quotient of f at *x. With steps of 1e-5 and values
// of order 1 its error is of order 1e-10.
func slope(f func() float64, x *float64) float64 {
	const h = 1e-5
	old := *x
	*x = old + h
	up := f()
	*x = old - h
	down := f()
	*x = old
	return (up - down) / (2 * h)
}

func wider(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// near fails unless |got[i]-want[i]| ≤ tolerance for all i.
func near(t *testing.T, what string, k Impl, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s %s: %d results, want %d", k, what, len(got), len(want))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tolerance) {
			t.Errorf("%s %s: n=%d [%d] = %g, want %g within %g", k, what, len(want), i, got[i], w, tolerance)
			return
		}
	}
}

func sigmoid64(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// full reports whether tests run at all sizes. Otherwise they take a part of the shapes.
func full() bool { return os.Getenv("SOFTSEARCH_TEST") == "full" }

func lengthOf(n int, _ bool) int { return n }
