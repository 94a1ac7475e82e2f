package bench

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/softsearch-go/softsearch/kernels"
)

// BenchmarkWeights compares products with weights of 8 bits with those with weights of float32, and
// impl=read with both: a loop that does no more than read the weights once. The rows of x are quantized
// beforehand; BenchmarkQuantize measures that.
func BenchmarkWeights(b *testing.B) {
	for _, s := range shapes.weights {
		for _, batch := range []int{1, 12, 32, 80} {
			for _, weights := range []string{"float32", "int8"} {
				list := contenders()
				if batch == 1 {
					list = contenders("read")
				}
				name := fmt.Sprintf("weights=%s/%s", weights, batched{batch, s})
				metric := arithmetic(batch * s.size())
				if batch == 1 {
					metric = bytesPerSecond(s.size() * weightBytes[weights])
				}
				compare(b, list, name, metric, func(c contender, r source) func() {
					return product(c, r, weights, batched{batch, s})
				})
			}
		}
	}
}

var weightBytes = map[string]int{"float32": 4, "int8": 1}

// product returns a product with weights of that type, or a loop that reads them.
func product(c contender, r source, weights string, s batched) func() {
	w, x, bias := r.uniform(s.size(), 1), r.uniform(s.batch*s.cols, 1), r.uniform(s.rows, 1)
	xs, y := kernels.View(x, s.batch, s.cols), kernels.View(zeros(s.batch*s.rows), s.batch, s.rows)
	if weights == "float32" {
		packed := pack(kernels.Best(), s.cols, w)
		if c.naive {
			return reader(packed.Data)
		}
		if s.batch == 1 {
			return func() { c.k.Gemv(y.Data, packed, x, bias, kernels.Identity) }
		}
		return func() { c.k.Gemm(y, packed, xs, bias, kernels.Identity) }
	}
	packed := kernels.Best().PackedInt8(kernels.View(w, s.rows, s.cols))
	if c.naive {
		return reader(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(packed.Data))), len(packed.Data)/4))
	}
	k := c.k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(s.batch, s.cols)})
	return func() { k.Linear(y, kernels.Weights{Int8: packed}, xs, bias, kernels.Identity) }
}

// BenchmarkStepProducts is the products of a decoder step of batch hypotheses at the paper's sizes, with
// the quantization of their inputs: the weights are 22 MB of int8, or four times as much. They lie in one
// slice, as those of a model may. impl=read reads them once.
func BenchmarkStepProducts(b *testing.B) {
	size := 0
	for _, s := range shapes.step {
		size += s.size()
	}
	for _, batch := range []int{1, 12, 32} {
		for _, weights := range []string{"float32", "int8"} {
			list := contenders()
			if batch == 1 {
				list = contenders("read")
			}
			metric := arithmetic(batch * size)
			if batch == 1 {
				metric = bytesPerSecond(size * weightBytes[weights])
			}
			compare(b, list, fmt.Sprintf("weights=%s/batch=%d", weights, batch), metric, func(c contender, r source) func() {
				return stepProducts(c, r, weights, batch)
			})
		}
	}
}

// stepProducts returns the products of a step with weights of that type, or a loop that reads them.
func stepProducts(c contender, r source, weights string, batch int) func() {
	products := stepFloat32
	if weights == "int8" {
		products = stepInt8
	}
	list, all := products(c.k, r, batch)
	if c.naive {
		return reader(all)
	}
	return func() {
		for _, run := range list {
			run()
		}
	}
}

// stepFloat32 returns the products of a step, and the slice of their weights.
func stepFloat32(k kernels.Impl, r source, batch int) (list []func(), all []float32) {
	size := 0
	for _, s := range shapes.step {
		size += kernels.PackedLen(s.rows, s.cols)
	}
	all = kernels.Alloc(size)
	left := all
	for _, s := range shapes.step {
		n := kernels.PackedLen(s.rows, s.cols)
		w := kernels.PackedOf(left[:n], s.rows, s.cols)
		left = left[n:]
		k.Pack(w, 0, kernels.View(r.uniform(s.size(), 1), s.rows, s.cols))
		x, y := kernels.View(r.uniform(batch*s.cols, 1), batch, s.cols), kernels.View(zeros(batch*s.rows), batch, s.rows)
		list = append(list, func() {
			if batch == 1 {
				k.Gemv(y.Data, w, x.Data, nil, kernels.Identity)
				return
			}
			k.Gemm(y, w, x, nil, kernels.Identity)
		})
	}
	return list, all
}

// stepInt8 is stepFloat32 with weights of int8. It returns the memory of the weights.
func stepInt8(k kernels.Impl, r source, batch int) (list []func(), all []float32) {
	size := 0
	for _, s := range shapes.step {
		size += kernels.PackedInt8Len(s.rows, s.cols)
	}
	left := kernels.AllocInt8(size)
	all = unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(left))), size/4)
	for _, s := range shapes.step {
		n := kernels.PackedInt8Len(s.rows, s.cols)
		w := kernels.PackedInt8{Out: s.rows, In: s.cols, Data: left[:n], Scales: make([]float32, s.rows)}
		left = left[n:]
		k.PackInt8(w, 0, kernels.View(r.uniform(s.size(), 1), s.rows, s.cols))
		x, y := kernels.View(r.uniform(batch*s.cols, 1), batch, s.cols), kernels.View(zeros(batch*s.rows), batch, s.rows)
		k := k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(batch, s.cols)})
		list = append(list, func() { k.Linear(y, kernels.Weights{Int8: w}, x, nil, kernels.Identity) })
	}
	return list, all
}

func reader(x []float32) func() {
	r := &reading{parts: slices.Collect(slices.Chunk(x, 1<<15))}
	r.bits = make([]uint64, len(r.parts))
	return func() { r.Run(kernels.Impl{}, 0, len(r.parts)) }
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

func BenchmarkDotInt8(b *testing.B) {
	for _, n := range []int{128, 768} {
		compare(b, contenders(), fmt.Sprintf("n=%d", n), perElement(n), func(c contender, r source) func() {
			rows := kernels.NewRowsInt8(2, n)
			c.k.Quantize(rows, kernels.View(r.uniform(2*n, 1), 2, n))
			x, y := rows.Row(0), rows.Row(1)
			return func() { dotSink = c.k.DotInt8(x, y) }
		})
	}
}

var dotSink int32
