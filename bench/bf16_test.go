package bench

import (
	"fmt"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// factors are the types of the factors of a product.
var factors = []string{"float32", "bfloat16"}

// BenchmarkFactors compares products of rows and weights in bfloat16 with those in float32. The product
// rounds its rows; BenchmarkRound measures the rounding of weights.
func BenchmarkFactors(b *testing.B) {
	for _, s := range []batched{{80, shape{3000, 1000}}, {80, shape{1000, 1000}}, {12, shape{3000, 1000}}} {
		for _, factor := range factors {
			compare(b, contenders(), fmt.Sprintf("factors=%s/%s", factor, s), arithmetic(s.batch*s.size()), func(c contender, r source) func() {
				w, x, bias := pack(c.k, s.cols, r.uniform(s.size(), 1)), r.uniform(s.batch*s.cols, 1), r.uniform(s.rows, 1)
				xs, y := kernels.View(x, s.batch, s.cols), kernels.View(zeros(s.batch*s.rows), s.batch, s.rows)
				if factor == "float32" {
					return func() { c.k.Gemm(y, w, xs, bias, kernels.Identity) }
				}
				weights := kernels.Weights{BF16: kernels.NewPackedBF16(s.rows, s.cols)}
				c.k.RoundPackedBF16(weights.BF16, w)
				k := c.k.Using(&kernels.Scratch{BF16: kernels.NewRowsBF16(s.batch, s.cols)})
				return func() { k.Linear(y, weights, xs, bias, kernels.Identity) }
			})
		}
	}
}

// BenchmarkFactorsGrad does the same for the gradients of weights.
func BenchmarkFactorsGrad(b *testing.B) {
	for _, s := range []batched{{2000, shape{768, 256}}, {2000, shape{1000, 1000}}, {2000, shape{3000, 620}}} {
		list := contenders()
		if s.rows >= 1000 {
			list = quick(list)
		}
		for _, factor := range factors {
			compare(b, list, fmt.Sprintf("factors=%s/%s", factor, s), arithmetic(s.batch*s.size()), func(c contender, r source) func() {
				dy, x := kernels.View(r.uniform(s.batch*s.rows, 1), s.batch, s.rows), kernels.View(r.uniform(s.batch*s.cols, 1), s.batch, s.cols)
				dw, scratch := pack(c.k, s.cols, zeros(s.size())), zeros(kernels.GradScratch(s.cols))
				room := &kernels.Scratch{Grad: scratch}
				if factor == "bfloat16" {
					room.DYBF16, room.BF16 = kernels.NewRowsBF16(s.batch, s.rows), kernels.NewRowsBF16(s.batch, s.cols)
				}
				k := c.k.Using(room)
				return func() { k.LinearGrad(dw, dy, x) }
			})
		}
	}
}

// BenchmarkRound rounds the weights of products to bfloat16.
func BenchmarkRound(b *testing.B) {
	s := shape{3000, 1000}
	compare(b, contenders(), fmt.Sprintf("operand=weights/%s", s), perElement(s.size()), func(c contender, r source) func() {
		w, weights := pack(c.k, s.cols, r.uniform(s.size(), 1)), kernels.NewPackedBF16(s.rows, s.cols)
		c.k.RoundPackedBF16(weights, w) // the first one touches the memory of weights
		return func() { c.k.RoundPackedBF16(weights, w) }
	})
}
