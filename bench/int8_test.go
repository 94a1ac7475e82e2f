package bench

import (
	"fmt"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// BenchmarkWeights compares products with weights of 8 bits with those with weights of float32.
func BenchmarkWeights(b *testing.B) {
	for _, s := range shapes.weights {
		for _, batch := range []int{1, 12, 32, 80} {
			for _, weights := range []string{"float32", "int8"} {
				name := fmt.Sprintf("weights=%s/%s", weights, batched{batch, s})
				metric := arithmetic(batch * s.size())
				if batch == 1 {
					metric = bytesPerSecond(s.size() * weightBytes[weights])
				}
				compare(b, quick(contenders()), name, metric, func(c contender, r source) func() {
					return product(c, r, weights, batched{batch, s})
				})
			}
		}
	}
}

var weightBytes = map[string]int{"float32": 4, "int8": 1}

// product returns a product with weights of that type.
func product(c contender, r source, weights string, s batched) func() {
	w, x, bias := r.uniform(s.size(), 1), r.uniform(s.batch*s.cols, 1), r.uniform(s.rows, 1)
	xs, y := kernels.View(x, s.batch, s.cols), kernels.View(zeros(s.batch*s.rows), s.batch, s.rows)
	if weights == "float32" {
		packed := pack(kernels.Best(), s.cols, w)
		if s.batch == 1 {
			return func() { c.k.Gemv(y.Data, packed, x, bias, kernels.Identity) }
		}
		return func() { c.k.Gemm(y, packed, xs, bias, kernels.Identity) }
	}
	packed := kernels.Best().PackInt8(kernels.View(w, s.rows, s.cols))
	k := c.k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(s.batch, s.cols)})
	return func() { k.Linear(y, kernels.Weights{Int8: packed}, xs, bias, kernels.Identity) }
}

func bytesPerSecond(count int) metric {
	return metric{"GB/s", func(ns float64) float64 { return float64(count) / ns }}
}

func BenchmarkQuantize(b *testing.B) {
	for _, n := range shapes.functions {
		compare(b, contenders(), fmt.Sprintf("n=%d", n), perElement(n), func(c contender, r source) func() {
			x, rows := r.uniform(n, 1), kernels.NewRowsInt8(1, n)
			return func() { c.k.Quantize(rows, kernels.View(x, 1, n)) }
		})
	}
}
