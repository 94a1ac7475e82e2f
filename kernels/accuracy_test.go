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

// A function is an elementwise kernel with its reference and what is promised of it.
type function struct {
	name  string
	run   func(k Impl, dst, src []float32)
	exact func(x float64) float64 // its error is below 2⁻⁵⁰ of the value (TestReferences)
	ulps  float64                 // bound of the error
	most  float64                 // the largest magnitude of a result
	odd   bool
	far   float32 // from here on results are 0, 1, infinity or that of a bound
}

// The largest errors over all arguments, which -exhaustive finds, are 0.814 ULP for Exp,
// 1.198 for Tanh and 2.444 for Sigmoid.
var functions = []function{
	{"Exp", Impl.Exp, math.Exp, 1, math.Inf(1), false, 104},
	{"Tanh", Impl.Tanh, math.Tanh, 1.5, 1, true, 10},
	{"Sigmoid", Impl.Sigmoid, clampedSigmoid, 2.5, 1, false, -sigmoidLow},
}

// near0 bounds the arguments at which the functions are 1, x and 1/2 but for a rounding or
// two. The mean error and the share of correctly rounded results leave them and those from far
// on aside, nine in ten of all float32.
const near0 = 0x1p-12

// An account sums up the errors of a function. A reference within 2⁻⁵⁰ of the value changes
// an error by 2⁻²⁶ ULP at most, and takes a result for correctly rounded, or not, by mistake
// where the value lies so close to a midpoint: at about one argument in 2²⁵.
type account struct {
	worst          float64
	at             float32
	sum            float64 // of the errors
	count, rounded int     // results, and those among them that are correctly rounded
}

func (a *account) add(f *function, x, got float32, want float64) {
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

func (a *account) merge(b account) {
	if b.worst > a.worst || b.worst == a.worst && magnitude(b.at) < magnitude(a.at) {
		a.worst, a.at = b.worst, b.at
	}
	a.sum += b.sum
	a.count += b.count
	a.rounded += b.rounded
}

func magnitude(x float32) float32 { return max(x, -x) }

// A window is some consecutive numbers of one sign and the results of a function.
type window struct {
	x, y, other [block + 1]float32
}

// set computes f at the magnitudes first to first+n-1 with that sign, 0 or 1, and at the one
// after them, on every implementation.
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

// check holds what is promised of f at the magnitudes first to first+n-1.
func (f *function) check(t *testing.T, windows *[2]window, a *account, first uint32, n int) {
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
			if i > 0 && (y[i-sign] < y[i-1+sign] || math.Abs(float64(got)) > f.most) {
				t.Errorf("%s is %b at %b and %b at %b: it must not fall, nor be larger than %g",
					f.name, y[i-1], x[i-1], got, x[i], f.most)
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

// sweep checks windows of n magnitudes, stride apart, on all processors.
func (f *function) sweep(t *testing.T, n, stride int) (total account) {
	accounts := make([]account, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var workers sync.WaitGroup
	for worker := range accounts {
		workers.Go(func() {
			var windows [2]window
			for a := &accounts[worker]; !t.Failed(); {
				first := next.Add(int64(stride)) - int64(stride)
				if first >= 1<<31 {
					return
				}
				f.check(t, &windows, a, uint32(first), n)
			}
		})
	}
	workers.Wait()
	for _, a := range accounts {
		total.merge(a)
	}
	return total
}

var exhaustive = flag.Bool("exhaustive", false, "measure Exp, Tanh and Sigmoid at all float32 and print a table")

// TestAccuracy bounds the errors of the elementwise functions and holds that they do not fall
// from one float32 to the next, that Tanh is odd and at most 1, that NaN gives NaN, and that
// all implementations agree: at windows of consecutive numbers or, with -exhaustive, at all.
func TestAccuracy(t *testing.T) {
	n, stride := 64, 64*257
	if testing.Short() {
		stride *= 16
	}
	if *exhaustive {
		n, stride = block, block
		fmt.Println("| function | implementations | largest error, ULP | at | mean error, ULP | correctly rounded | monotone |")
		fmt.Println("|---|---|---|---|---|---|---|")
	}
	// Where the functions change their expression or their power of two, and in between.
	centres := slices.Concat(specials, []float32{
		0x1p-20, 0.01, 0.3465736, 0.6931472, 1.0397208, 5, 50, 87.3, 88.72,
	})
	for _, f := range functions {
		total := f.sweep(t, n, stride)
		var windows [2]window
		for _, centre := range centres {
			if bits := math.Float32bits(centre); bits < 1<<31 && !*exhaustive {
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
