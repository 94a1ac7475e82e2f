package bench

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// unit is the largest relative error of one rounding to float32.
const unit = 1.0 / (1 << 24)

// testImpls runs f for each implementation of the kernels on this machine.
func testImpls(t *testing.T, f func(t *testing.T, k kernels.Impl)) {
	t.Helper()
	for _, k := range kernels.Available() {
		t.Run("impl="+k.String(), func(t *testing.T) { f(t, k) })
	}
}

// testShapes have whole panels and tails, whole chains of dot and rests.
var testShapes = []batched{
	{1, shape{1, 1}}, {3, shape{16, 64}}, {2, shape{17, 3}}, {13, shape{33, 66}}, {40, shape{100, 257}},
}

// near fails the test where got and want differ by more than tolerance(i).
func near(t *testing.T, got, want []float32, tolerance func(i int) float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for i, v := range got {
		if limit := tolerance(i); !(math.Abs(float64(v)-float64(want[i])) <= limit) {
			t.Fatalf("value %d: naive %g, kernel %g, tolerance %g", i, v, want[i], limit)
		}
	}
}

// within returns the tolerance of results that are both within rounds roundings of the
// exact value.
func within(rounds int, want []float32) func(i int) float64 {
	return func(i int) float64 { return 2 * float64(rounds) * unit * math.Abs(float64(want[i])) }
}

// chain returns the tolerance of two sums of at most terms products, in any order: each is
// off by at most terms roundings of the sum of absolute values, which is at most terms here,
// where factors are in [-1, 1).
func chain(terms int) func(i int) float64 {
	return func(int) float64 { return 2 * float64(terms) * unit * float64(terms) }
}

func TestGemv(t *testing.T) {
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		for _, s := range testShapes {
			r := newSource()
			w, x, bias := r.uniform(s.size(), 1), r.uniform(s.cols, 1), r.uniform(s.rows, 1)
			got, want := make([]float32, s.rows), make([]float32, s.rows)
			k.Gemv(want, pack(k, s.cols, w), x, bias, kernels.Identity)
			Gemv(got, w, x, bias)
			near(t, got, want, chain(s.cols+1))
			gemvUnrolled(got, w, x, bias)
			near(t, got, want, chain(s.cols+1))
		}
	})
}

func TestGemm(t *testing.T) {
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		for _, s := range testShapes {
			r := newSource()
			w, x, bias := r.uniform(s.size(), 1), r.uniform(s.batch*s.cols, 1), r.uniform(s.rows, 1)
			got, want := make([]float32, s.batch*s.rows), make([]float32, s.batch*s.rows)
			y := kernels.View(want, s.batch, s.rows)
			k.Gemm(y, pack(k, s.cols, w), kernels.View(x, s.batch, s.cols), bias, kernels.Identity)
			Gemm(got, w, x, bias, s.batch)
			near(t, got, want, chain(s.cols+1))
			GemmUnrolled(got, w, x, bias, s.batch)
			near(t, got, want, chain(s.cols+1))
		}
	})
}

func TestGemmGrad(t *testing.T) {
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		for _, s := range testShapes {
			r := newSource()
			dy, x := r.uniform(s.batch*s.rows, 1), r.uniform(s.batch*s.cols, 1)
			got, want := r.uniform(s.size(), 1), make([]float32, s.size())
			dw := pack(k, s.cols, got)
			GemmGrad(got, dy, x, s.batch)
			k := k.Using(&kernels.Scratch{Grad: make([]float32, kernels.GradScratch(s.cols))})
			k.LinearGrad(dw, kernels.View(dy, s.batch, s.rows), kernels.View(x, s.batch, s.cols))
			dw.Unpack(kernels.View(want, s.rows, s.cols), 0)
			near(t, got, want, chain(s.batch+1))
		}
	})
}

func TestTranspose(t *testing.T) {
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		for _, s := range testShapes {
			r := newSource()
			w := r.uniform(s.size(), 1)
			got, want := make([]float32, s.size()), make([]float32, s.size())
			Transpose(got, w, s.rows, s.cols)
			dst := pack(k, s.rows, want)
			k.LinearTranspose(kernels.Weights{Float32: dst}, pack(k, s.cols, w))
			dst.Unpack(kernels.View(want, s.cols, s.rows), 0)
			near(t, got, want, within(0, want))
		}
	})
}

func TestElementwise(t *testing.T) {
	functions := []struct {
		name   string
		naive  func(dst, src []float32)
		kernel func(k kernels.Impl, dst, src []float32)
		rounds int
	}{
		{"Tanh", Tanh, kernels.Impl.Tanh, 4},
		{"Sigmoid", Sigmoid, kernels.Impl.Sigmoid, 4},
		{"Exp", Exp, kernels.Impl.Exp, 4},
		// 4 for the exponential, 12 for its sum, whose roundings offset each other.
		{"Softmax", Softmax, kernels.Impl.Softmax, 16},
	}
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		for _, f := range functions {
			t.Run(f.name, func(t *testing.T) {
				for _, n := range []int{1, 2, 15, 50, 1003, 10000} {
					r := newSource()
					src := r.uniform(n, 20)
					got, want := make([]float32, n), make([]float32, n)
					f.naive(got, src)
					f.kernel(k, want, src)
					near(t, got, want, within(f.rounds, want))
				}
			})
		}
	})
}

// TestRules takes steps, which are below 0.005 here. They have some 32 roundings on either side,
// and the kernels subtract the float32 0.999 from 1, which is 220 roundings from 0.001 and
// half of that under the root. x, below 1.1, is rounded at each step.
func TestRules(t *testing.T) {
	const steps = 3
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		tolerance := func(int) float64 { return steps * (0.005*(2*32+110) + 2*1.1) * unit }
		for _, rule := range rules {
			t.Run(rule.name, func(t *testing.T) {
				for _, n := range []int{1, 15, 50, 1003} {
					r := newSource()
					got, g := r.uniform(n, 1), r.uniform(n, 1)
					want := slices.Clone(got)
					var averages [4][]float32
					for i := range averages {
						averages[i] = make([]float32, n)
					}
					for range steps {
						rule.naive(got, g, averages[0], averages[1])
						rule.kernel(k, want, g, averages[2], averages[3])
					}
					near(t, got, want, tolerance)
				}
			})
		}
	})
}

// TestMovingAverage takes steps, each with three roundings of at most 2 on either side.
func TestMovingAverage(t *testing.T) {
	const steps = 3
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		for _, n := range []int{1, 15, 50, 1003} {
			r := newSource()
			got := r.uniform(n, 1)
			want := slices.Clone(got)
			for range steps {
				x := r.uniform(n, 1)
				movingAverage(got, x, 0.3)
				k.MovingAverage(want, x, 0.3)
			}
			near(t, got, want, func(int) float64 { return steps * 2 * 3 * 2 * unit })
		}
	})
}

func TestAttention(t *testing.T) {
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		for _, s := range []attentionShape{{1, 1}, {7, 16}, {25, 37}, {50, 256}} {
			r := newSource()
			q, v := r.uniform(s.units, 2), r.uniform(s.units, 1)
			keys, annotations := r.uniform(s.source*s.units, 2), r.uniform(s.source*2*s.units, 1)
			a, wantA := make([]float32, s.source), make([]float32, s.source)
			got, want := make([]float32, 2*s.units), make([]float32, 2*s.units)
			Attention(got, a, q, keys, annotations, v)
			attend(k, want, wantA, q, kernels.View(keys, s.source, s.units), kernels.View(annotations, s.source, 2*s.units), v)
			t.Run(s.String(), func(t *testing.T) {
				near(t, a, wantA, absolute)
				near(t, got, want, absolute)
			})
		}
	})
}

func TestGRU(t *testing.T) {
	testImpls(t, func(t *testing.T, k kernels.Impl) {
		for _, s := range []gruShape{{1, 1, 1}, {5, 16, 3}, {20, 33, 1}, {62, 100, 13}} {
			t.Run(fmt.Sprintf("input=%d/%s", s.input, s), func(t *testing.T) {
				r := newSource()
				g := uniformGRU(r, s)
				x, h := r.uniform(s.batch*s.input, 1), r.uniform(s.batch*s.hidden, 1)
				got, want := make([]float32, len(h)), make([]float32, len(h))
				g.step(got, h, x, NewGates(s.batch, s.hidden), s.batch)
				stack(k, g, s).step(want, h, x)
				near(t, got, want, absolute)
			})
		}
	})
}

// absolute is the tolerance of contexts, attention weights and states, which are at most 1.
func absolute(int) float64 { return 1e-5 }
