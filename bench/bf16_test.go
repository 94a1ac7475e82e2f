package bench

import (
	"fmt"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// factors are the types of the factors of a product.
var factors = []string{"float32", "bfloat16"}

// BenchmarkFactors compares products of rows and weights in bfloat16 with those in float32. The product
// rounds its rows.
func BenchmarkFactors(b *testing.B) {
	for _, s := range []batched{{80, shape{3000, 1000}}, {80, shape{1000, 1000}}, {12, shape{3000, 1000}}} {
		for _, factor := range factors {
			compare(b, quick(contenders()), fmt.Sprintf("factors=%s/%s", factor, s), arithmetic(s.batch*s.size()), func(c contender, r source) func() {
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
