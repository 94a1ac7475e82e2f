package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

func BenchmarkGemv(b *testing.B) {
	loops := map[string]func(y, w, x, bias []float32){"naive": Gemv, "unrolled": gemvUnrolled}
	for _, s := range shapes.gemv {
		compare(b, append(contenders("naive", "unrolled"), reading()...), s.String(), bandwidth(s.size()), func(c contender, r source) func() {
			w, x, bias := r.uniform(s.size(), 1), r.uniform(s.cols, 1), r.uniform(s.rows, 1)
			y := zeros(s.rows)
			if loop := loops[c.name]; loop != nil {
				return func() { loop(y, w, x, bias) }
			}
			if c.naive {
				return c.reads(w)
			}
			packed := pack(c.k, s.cols, w)
			return func() { c.k.Gemv(y, packed, x, bias, kernels.Identity) }
		})
	}
}

// BenchmarkRowDots computes the same from weights that are not packed.
func BenchmarkRowDots(b *testing.B) {
	for _, s := range shapes.gemv {
		compare(b, append(contenders(), reading()...), s.String(), bandwidth(s.size()), func(c contender, r source) func() {
			w, x, y := r.uniform(s.size(), 1), r.uniform(s.cols, 1), zeros(s.rows)
			if c.naive {
				return c.reads(w)
			}
			return func() { c.k.RowDots(y, kernels.View(w, s.rows, s.cols), x) }
		})
	}
}

// BenchmarkDot has both operands in the memory of one, for the bound.
func BenchmarkDot(b *testing.B) {
	for _, n := range shapes.functions {
		compare(b, append(contenders(), reading()...), fmt.Sprintf("n=%d", n), bandwidth(2*n), func(c contender, r source) func() {
			both := r.uniform(2*n, 1)
			if c.naive {
				return c.reads(both)
			}
			return func() { sink += c.k.Dot(both[:n], both[n:]) }
		})
	}
}

var sink float32

func BenchmarkGemm(b *testing.B) {
	loops := map[string]func(y, w, x, bias []float32, rows int){"naive": Gemm, "unrolled": GemmUnrolled}
	for _, s := range shapes.gemm {
		list := contenders("naive", "unrolled")
		if s.batch*s.size() > 1e9 {
			list = contenders()
		}
		compare(b, quick(list), s.String(), arithmetic(s.batch*s.size()), func(c contender, r source) func() {
			w, x, bias := r.uniform(s.size(), 1), r.uniform(s.batch*s.cols, 1), r.uniform(s.rows, 1)
			y := zeros(s.batch * s.rows)
			if c.naive {
				loop := loops[c.name]
				return func() { loop(y, w, x, bias, s.batch) }
			}
			packed := pack(c.k, s.cols, w)
			ys, xs := kernels.View(y, s.batch, s.rows), kernels.View(x, s.batch, s.cols)
			return func() { c.k.Gemm(ys, packed, xs, bias, kernels.Identity) }
		})
	}
}

// BenchmarkGemmInput computes the gradients of inputs, dY·W, from the transposed weights.
func BenchmarkGemmInput(b *testing.B) {
	for _, s := range shapes.input {
		list := contenders("naive")
		if s.batch*s.size() > 1e9 {
			list = quick(contenders())
		}
		compare(b, list, s.String(), arithmetic(s.batch*s.size()), func(c contender, r source) func() {
			w, dy, dx := r.uniform(s.size(), 1), r.uniform(s.batch*s.rows, 1), zeros(s.batch*s.cols)
			if c.naive {
				return func() { clear(dx); GemmInput(dx, w, dy, s.batch) }
			}
			transposed := kernels.NewPacked(s.cols, s.rows)
			c.k.LinearTranspose(kernels.Weights{Float32: transposed}, pack(c.k, s.cols, w))
			dxs, dys := kernels.View(dx, s.batch, s.cols), kernels.View(dy, s.batch, s.rows)
			return func() { c.k.Gemm(dxs, transposed, dys, nil, kernels.Identity) }
		})
	}
}

func BenchmarkGemmGrad(b *testing.B) {
	for _, s := range shapes.grad {
		list := contenders("naive")
		if s.rows >= 1000 {
			list = quick(list)
		}
		compare(b, list, s.String(), arithmetic(s.batch*s.size()), func(c contender, r source) func() {
			dy, x := r.uniform(s.batch*s.rows, 1), r.uniform(s.batch*s.cols, 1)
			dw := zeros(s.size())
			if c.naive {
				return func() { GemmGrad(dw, dy, x, s.batch) }
			}
			packed := pack(c.k, s.cols, dw)
			dys, xs := kernels.View(dy, s.batch, s.rows), kernels.View(x, s.batch, s.cols)
			k := c.k.Using(&kernels.Scratch{Grad: zeros(kernels.GradScratch(s.cols))})
			return func() { k.LinearGrad(packed, dys, xs) }
		})
	}
}

func BenchmarkTranspose(b *testing.B) {
	for _, s := range shapes.transpose {
		each(b, s.String(), bandwidth(s.size()), func(c contender, r source) func() {
			src, dst := r.uniform(s.size(), 1), zeros(s.size())
			if c.naive {
				return func() { Transpose(dst, src, s.rows, s.cols) }
			}
			from, to := pack(c.k, s.cols, src), pack(c.k, s.rows, dst)
			return func() { c.k.LinearTranspose(kernels.Weights{Float32: to}, from) }
		})
	}
}

func BenchmarkTanh(b *testing.B) { elementwise(b, Tanh, kernels.Impl.Tanh) }

func BenchmarkSigmoid(b *testing.B) { elementwise(b, Sigmoid, kernels.Impl.Sigmoid) }

func BenchmarkExp(b *testing.B) { elementwise(b, Exp, kernels.Impl.Exp) }

func elementwise(b *testing.B, naive func(dst, src []float32), kernel func(k kernels.Impl, dst, src []float32)) {
	for _, n := range shapes.functions {
		each(b, fmt.Sprintf("n=%d", n), perElement(n), func(c contender, r source) func() {
			src, dst := r.uniform(n, 4), zeros(n)
			if c.naive {
				return func() { naive(dst, src) }
			}
			return func() { kernel(c.k, dst, src) }
		})
	}
}

func BenchmarkSoftmax(b *testing.B) {
	for _, n := range shapes.softmax {
		each(b, fmt.Sprintf("n=%d", n), perElement(n), func(c contender, r source) func() {
			src, dst := r.uniform(n, 4), zeros(n)
			if c.naive {
				return func() { Softmax(dst, src) }
			}
			return func() { c.k.Softmax(dst, src) }
		})
	}
}

// rules are the update rules, each with two running averages that start from 0.
var rules = []struct {
	name   string
	naive  func(x, g, first, second []float32)
	kernel func(k kernels.Impl, x, g, first, second []float32)
}{
	{"adadelta", adadelta, func(k kernels.Impl, x, g, g2, dx2 []float32) {
		k.UpdateAdadelta(kernels.Adadelta{Rho: 0.95, Epsilon: 1e-6, Scale: 1}, x, g, g2, dx2)
	}},
	{"adam", adam, func(k kernels.Impl, x, g, m, v []float32) {
		k.UpdateAdam(kernels.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Rate: 1e-3, Scale: 1}, x, g, m, v)
	}},
}

func BenchmarkRule(b *testing.B) {
	for _, n := range shapes.updates {
		for _, rule := range rules {
			each(b, fmt.Sprintf("rule=%s/n=%d", rule.name, n), perElement(n), func(c contender, r source) func() {
				x, g := r.uniform(n, 1), r.uniform(n, 1)
				first, second := zeros(n), zeros(n)
				if c.naive {
					return func() { rule.naive(x, g, first, second) }
				}
				return func() { rule.kernel(c.k, x, g, first, second) }
			})
		}
	}
}

func BenchmarkMovingAverage(b *testing.B) {
	const rate = 1e-3
	for _, n := range shapes.updates {
		each(b, fmt.Sprintf("n=%d", n), perElement(n), func(c contender, r source) func() {
			average, x := r.uniform(n, 1), r.uniform(n, 1)
			if c.naive {
				return func() { movingAverage(average, x, rate) }
			}
			return func() { c.k.MovingAverage(average, x, rate) }
		})
	}
}

func BenchmarkAttention(b *testing.B) {
	for _, s := range shapes.attention {
		each(b, s.String(), perElement(s.source*s.units), func(c contender, r source) func() {
			q, v := r.uniform(s.units, 2), r.uniform(s.units, 1)
			keys, annotations := r.uniform(s.source*s.units, 2), r.uniform(s.source*2*s.units, 1)
			context, a := zeros(2*s.units), zeros(s.source)
			if c.naive {
				return func() { Attention(context, a, q, keys, annotations, v) }
			}
			rows, wide := kernels.View(keys, s.source, s.units), kernels.View(annotations, s.source, 2*s.units)
			return func() { attend(c.k, context, a, q, rows, wide, v) }
		})
	}
}

func BenchmarkGRU(b *testing.B) {
	for _, s := range shapes.gru {
		each(b, s.String(), arithmetic(s.products()), func(c contender, r source) func() {
			g := uniformGRU(r, s)
			x, h := r.uniform(s.batch*s.input, 1), r.uniform(s.batch*s.hidden, 1)
			next := zeros(len(h))
			if c.naive {
				gates := NewGates(s.batch, s.hidden)
				return func() { g.step(next, h, x, gates, s.batch) }
			}
			k := stack(c.k, g, s)
			return func() { k.step(next, h, x) }
		})
	}
}

// adam takes one step of Adam (Kingma and Ba, 2015) without bias correction on x with the gradient
// g. m and v are the running averages of gradients and squared gradients.
func adam(x, g, m, v []float32) {
	const beta1, beta2, epsilon, rate = 0.9, 0.999, 1e-8, 1e-3
	g, m, v = g[:len(x)], m[:len(x)], v[:len(x)]
	for i, d := range g {
		m[i] = beta1*m[i] + (1-beta1)*d
		v[i] = beta2*v[i] + (1-beta2)*d*d
		x[i] -= rate * m[i] / (float32(math.Sqrt(float64(v[i]))) + epsilon)
	}
}

// movingAverage takes one step of an exponential moving average towards x.
func movingAverage(average, x []float32, rate float32) {
	average = average[:len(x)]
	for i, v := range x {
		average[i] += rate * (v - average[i])
	}
}

// gemvUnrolled is Gemv with four sums in flight: an addition need not wait for the previous one,
// which makes it faster than the plain loop.
func gemvUnrolled(y, w, x, bias []float32) {
	bias = bias[:len(y)]
	for n := range y {
		y[n] = dotUnrolled(w[n*len(x):(n+1)*len(x)], x) + bias[n]
	}
}
