package kernels

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A function is an elementwise kernel, its reference, and its guarantees.
type function struct {
	name  string
	run   func(k Impl, dst, src []float32)
	exact func(x float64) float64 // within 2⁻⁵⁰ of the value (TestReferences)
	ulps  float64                 // maximum error
	limit float64                 // maximum magnitude of a result
	odd   bool
	far   float32 // arguments this large give 0, 1, infinity or the result at a clamp
}

// Over all arguments, -exhaustive finds maximum errors of 0.814 ULP for Exp, 1.198 for Tanh and 2.444
// for Sigmoid.
var functions = []function{
	{"Exp", Impl.Exp, math.Exp, 1, math.Inf(1), false, 104},
	{"Tanh", Impl.Tanh, math.Tanh, 1.5, 1, true, 10},
	{"Sigmoid", Impl.Sigmoid, clampedSigmoid, 2.5, 1, false, -sigmoidLow},
}

// near0 bounds the arguments so small that the functions are 1, x and 1/2 within a rounding or two.
// The mean error and the share of correctly rounded results exclude them and the arguments beyond
// far, which are nine in ten of all float32.
const near0 = 0x1p-12

// errorStats summarizes the errors of a function. A reference within 2⁻⁵⁰ of the value changes an
// error by at most 2⁻²⁶ ULP. It misjudges whether a result is correctly rounded only where the value
// is that close to a midpoint, at about one argument in 2²⁵.
type errorStats struct {
	worst          float64
	at             float32
	sum            float64 // of the errors
	count, rounded int     // results, and those among them that are correctly rounded
}

func (a *errorStats) add(f *function, x, got float32, want float64) {
	u := ulp(got, want)
	if u > a.worst {
		a.worst, a.at = u, x
	}
	if size := magnitude(x); size >= near0 && size < f.far {
		a.count++
		a.sum += u
		if got == float32(want) {
			a.rounded++
		}
	}
}

func (a *errorStats) merge(b errorStats) {
	if b.worst > a.worst || b.worst == a.worst && magnitude(b.at) < magnitude(a.at) {
		a.worst, a.at = b.worst, b.at
	}
	a.sum += b.sum
	a.count += b.count
	a.rounded += b.rounded
}

func magnitude(x float32) float32 { return max(x, -x) }

// A window holds consecutive numbers of one sign and the results of a function.
type window struct {
	x, y, other [block + 1]float32
}

// set computes f on every implementation, at the numbers with bit patterns first to first+n and the
// given sign bit.
func (w *window) set(t *testing.T, f *function, first uint32, n int, sign uint32) (x, y []float32) {
	n = int(min(uint32(n+1), 1<<31-first))
	x, y = w.x[:n], w.y[:n]
	for i := range x {
		x[i] = math.Float32frombits(sign<<31 | first + uint32(i))
	}
	list := Available()
	f.run(list[0], y, x)
	for _, k := range list[1:] {
		f.run(k, w.other[:n], x)
		if i := differs(w.other[:n], y); i >= 0 {
			t.Errorf("%s(%b) = %b with %s and %b with %s", f.name, x[i], w.other[i], k, y[i], list[0])
		}
	}
	return x, y
}

// check verifies the guarantees of f at the bit patterns first to first+n-1 of both signs.
func (f *function) check(t *testing.T, windows *[2]window, a *errorStats, first uint32, n int) {
	var results [2][]float32
	for sign := range results {
		x, y := windows[sign].set(t, f, first, n, uint32(sign))
		results[sign] = y
		for i, got := range y {
			want := f.exact(float64(x[i]))
			if (got != got) != (want != want) {
				t.Errorf("%s(%b) = %b, want %b", f.name, x[i], got, want)
				return
			}
			if want != want {
				continue
			}
			if i > 0 && (y[i-sign] < y[i-1+sign] || math.Abs(float64(got)) > f.limit) {
				t.Errorf("%s is %b at %b and %b at %b: want it not to fall, and at most %g",
					f.name, y[i-1], x[i-1], got, x[i], f.limit)
				return
			}
			if i < n {
				a.add(f, x[i], got, want)
			}
		}
	}
	if !f.odd {
		return
	}
	for i, v := range results[1] {
		if !same(v, -results[0][i]) {
			t.Errorf("%s is not odd at %b: %b and %b", f.name, windows[0].x[i], results[0][i], v)
			return
		}
	}
}

// sweep checks windows of n bit patterns, stride apart, on all processors.
func (f *function) sweep(t *testing.T, n, stride int) (total errorStats) {
	stats := make([]errorStats, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var workers sync.WaitGroup
	for worker := range stats {
		workers.Go(func() {
			var windows [2]window
			for a := &stats[worker]; !t.Failed(); {
				first := next.Add(int64(stride)) - int64(stride)
				if first >= 1<<31 {
					return
				}
				f.check(t, &windows, a, uint32(first), n)
			}
		})
	}
	workers.Wait()
	for _, a := range stats {
		total.merge(a)
	}
	return total
}

var exhaustive = flag.Bool("exhaustive", false, "measure Exp, Tanh and Sigmoid at all float32 and print a table")

// TestAccuracy bounds the errors of the elementwise functions and checks that they are monotone, that
// Tanh is odd and at most 1, that NaN gives NaN, and that all implementations agree: on windows of
// consecutive float32 or, with -exhaustive, on all of them.
func TestAccuracy(t *testing.T) {
	n, stride := 64, 64*257
	if !full() {
		stride *= 16
	}
	if *exhaustive {
		n, stride = block, block
		fmt.Println("| function | implementations | largest error, ULP | at | mean error, ULP | correctly rounded | monotone |")
		fmt.Println("|---|---|---|---|---|---|---|")
	}
	// Points where the functions change their expression or their power of two, and points between.
	centers := slices.Concat(specials, []float32{
		0x1p-20, 0.01, 0.3465736, 0.6931472, 1.0397208, 5, 50, 87.3, 88.72,
	})
	for _, f := range functions {
		total := f.sweep(t, n, stride)
		var windows [2]window
		for _, center := range centers {
			if bits := math.Float32bits(center); bits < 1<<31 && !*exhaustive {
				f.check(t, &windows, &total, max(bits, block/2)-block/2, block)
			}
		}
		if t.Failed() {
			return
		}
		if total.worst > f.ulps || total.worst == 0 {
			t.Errorf("%s(%b): error %.4f ULP, want at most %g", f.name, total.at, total.worst, f.ulps)
		}
		if *exhaustive {
			count := float64(total.count)
			fmt.Printf("| %s | %s | %.3f | %.9g | %.3f | %.2f %% | yes |\n", f.name, strings.Join(available(), ", "),
				total.worst, total.at, total.sum/count, 100*float64(total.rounded)/count)
		}
	}
}

// Sigmoid clamps its argument to these bounds.
const sigmoidLow, sigmoidHigh float32 = -87.3, 88

// clampedSigmoid returns the sigmoid of x, clamped as in Sigmoid.
func clampedSigmoid(x float64) float64 {
	return sigmoid64(min(max(x, float64(sigmoidLow)), float64(sigmoidHigh)))
}

const precision = 160 // bits of the references that check references

// bigExp returns eˣ with a relative error below 2⁻¹²⁰, for |x| ≤ 256: the Taylor series of exp(x/2¹⁶),
// whose argument is at most 2⁻⁸, up to the 15th power, squared 16 times.
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

// bigTanh returns (e²ˣ-1)/(e²ˣ+1). At 2⁻¹², cancellation in the difference costs 12 bits.
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
	if !full() {
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
