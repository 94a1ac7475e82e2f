package model

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
)

// An allocator stands in for make in constructors. A nil allocator allocates. Any other only adds
// up bytes and returns nil slices, so that what a capacity costs follows from the constructors
// themselves. Lengths are products of sizes from outside: see product.
type allocator struct{ bytes int64 } // math.MaxInt64 if it would exceed that

// floats returns as many zeros as the product of the sizes.
func (a *allocator) floats(sizes ...int) []float32 {
	n := product(sizes...)
	if a != nil {
		a.count(n, 4)
		return nil
	}
	return kernels.Alloc(n)
}

func (a *allocator) ints(n int) []int         { return allocate[int](a, n) }
func (a *allocator) int32s(n int) []int32     { return allocate[int32](a, n) }
func (a *allocator) uint64s(n int) []uint64   { return allocate[uint64](a, n) }
func (a *allocator) float64s(n int) []float64 { return allocate[float64](a, n) }

func (a *allocator) spans(n, size int) *buffers.Spans {
	if a != nil {
		a.count(n, buffers.SpanBytes)
		return nil
	}
	return buffers.NewSpans(n, size)
}

// rowsBF16 returns rows of that many bytes in all.
func (a *allocator) rowsBF16(bytes int) kernels.RowsBF16 {
	if a == nil {
		return kernels.NewRowsBF16(1, bytes/2)
	}
	a.count(bytes, 1)
	return kernels.RowsBF16{}
}

// packedBF16 returns weights of zeros.
func (a *allocator) packedBF16(out, in int) kernels.PackedBF16 {
	if a == nil {
		return kernels.NewPackedBF16(out, in)
	}
	a.count(lengthOf(kernels.PackedBF16Len(out, in)), 4)
	return kernels.PackedBF16{Out: out, In: in}
}

// allocate allocates or counts n zeros.
func allocate[T any](a *allocator, n int) []T {
	if a != nil {
		a.count(n, int(unsafe.Sizeof(*new(T))))
		return nil
	}
	return make([]T, n)
}

// count counts n values of size bytes each.
func (a *allocator) count(n, size int) {
	if n < 0 || int64(n) > buffers.MaxBytes {
		a.bytes = math.MaxInt64
		return
	}
	a.add(int64(n) * int64(size))
}

func (a *allocator) add(bytes int64) { a.bytes += min(bytes, math.MaxInt64-a.bytes) }

// checkBytes returns an error that wraps ErrConfig if that is more than a constructor allocates.
func checkBytes(bytes int64) error {
	if bytes > buffers.MaxBytes {
		return fmt.Errorf("%w: buffers of more than %d bytes", ErrConfig, int64(buffers.MaxBytes))
	}
	return nil
}

// total returns a+b, each at least 0, or math.MaxInt if that is less.
func total(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// product returns the product of sizes, each at least 0, or math.MaxInt if that is less.
func product(sizes ...int) int {
	n := uint(1)
	for _, size := range sizes {
		high, low := bits.Mul(n, uint(size))
		if high != 0 || low > math.MaxInt {
			low = math.MaxInt
		}
		n = low
	}
	return int(n)
}

// An arena hands out consecutive views of one slice of float32 and of one of int8, each aligned to a
// cache line. Without a slice it only adds up sizes.
type arena struct {
	precision Precision // of matrices and tables
	values    []float32
	int8s     []int8

	used     int   // values; math.MaxInt if it overflows
	usedInt8 int   // the same of int8
	bytes    int   // of tables and scales of int8; math.MaxInt if it overflows
	weights  int64 // without padding
	scales   int64 // of the rows of int8
}

// next returns the one of them that q is.
func (a *arena) next(q parameter) (w kernels.Weights, t kernels.Table, v []float32) {
	switch {
	case q.matrix != nil:
		w = a.matrix(q.rows, q.cols)
	case q.table != nil:
		t = a.table(q.rows, q.cols)
	default:
		v = a.vector(q.rows)
	}
	return w, t, v
}

func (a *arena) table(rows, cols int) kernels.Table {
	a.weights += int64(rows) * int64(cols)
	if a.precision == Int8 {
		a.scales += int64(rows)
		a.bytes = total(a.bytes, product(rows, kernels.RowInt8Bytes(cols)))
		if a.int8s == nil {
			return kernels.Table{Int8: kernels.RowsInt8{Rows: rows, Cols: cols}}
		}
		return kernels.Table{Int8: kernels.NewRowsInt8(rows, cols)}
	}
	return kernels.Table{Float32: kernels.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: a.take(product(rows, cols))}}
}

func (a *arena) matrix(out, in int) kernels.Weights {
	a.weights += int64(out) * int64(in)
	if a.precision != Int8 {
		return kernels.Weights{Float32: kernels.Packed{Out: out, In: in, Data: a.take(packedLen(out, in))}}
	}
	a.scales += int64(out)
	a.bytes = total(a.bytes, product(out, 4))
	w := kernels.PackedInt8{Out: out, In: in, Data: a.takeInt8(lengthOf(kernels.PackedInt8Len(out, in)))}
	if w.Data != nil {
		w.Scales = make([]float32, out)
	}
	return kernels.Weights{Int8: w}
}

func (a *arena) vector(n int) []float32 {
	a.weights += int64(n)
	return a.take(n)
}

// packedLen is kernels.PackedLen, or math.MaxInt if that overflows.
func packedLen(out, in int) int { return lengthOf(kernels.PackedLen(out, in)) }

// lengthOf returns n, or math.MaxInt unless ok.
func lengthOf(n int, ok bool) int {
	if !ok {
		return math.MaxInt
	}
	return n
}

// newInt8s returns the slice of int8 for what a has counted, none for other precisions.
func (a *arena) newInt8s(allocator *allocator) []int8 {
	if allocator != nil {
		allocator.count(total(a.usedInt8, a.bytes), 1)
		return nil
	}
	if a.precision != Int8 {
		return nil
	}
	return kernels.AllocInt8(a.usedInt8)
}

// takeInt8 returns the next n values of int8, a multiple of a cache line, none if the arena only counts.
func (a *arena) takeInt8(n int) []int8 {
	from := a.usedInt8
	a.usedInt8 = total(from, n)
	if a.int8s == nil {
		return nil
	}
	return a.int8s[from:a.usedInt8:a.usedInt8]
}

// take returns the next n values, none if the arena has no more or only counts.
func (a *arena) take(n int) []float32 {
	const line = 16 // values in a cache line
	from := a.used
	if n > math.MaxInt-line || n > math.MaxInt-line-from {
		a.used = math.MaxInt
		return nil
	}
	a.used += (n + line - 1) / line * line
	if a.used > len(a.values) {
		return nil
	}
	return a.values[from : from+n : from+n]
}

// newScratch returns room for the inputs of products with weights of int8, of up to that many rows.
// Weights of float32 need none.
func newScratch(a *allocator, c Config, rows int) *kernels.Scratch {
	if c.Weights != Int8 {
		return nil
	}
	if a != nil {
		a.count(product(rows, kernels.RowInt8Bytes(widestInput(c))), 1)
		return nil
	}
	return &kernels.Scratch{Int8: kernels.NewRowsInt8(rows, widestInput(c))}
}

// widestInput returns the largest number of inputs of a product of the forward pass.
func widestInput(c Config) int { return max(c.Embedding, c.context(), c.Maxout) }

// newTrainingScratch returns the scratch of all products and transposes of a training.
func newTrainingScratch(a *allocator, c Config, precision Precision, capacity Capacity) *kernels.Scratch {
	grad := gradScratch(max(widestInput(c), c.Alignment))
	if precision != BF16 {
		return &kernels.Scratch{Grad: a.floats(grad)}
	}
	rows := product(capacity.Sentences, max(capacity.SourceLength, capacity.TargetLength))
	room := max(
		product(rows, kernels.RowBF16Bytes(max(widestInput(c), c.Alignment, c.sums()))),
		product(min(outputRows, rows), kernels.RowBF16Bytes(c.TargetVocab)),
	)
	for _, q := range (*Parameters)(nil).matrices(c, nil) {
		grad = max(grad, packedLen(q.cols, q.rows))
	}
	return &kernels.Scratch{BF16: a.rowsBF16(room), DYBF16: a.rowsBF16(room), Grad: a.floats(grad)}
}

// gradScratch is kernels.GradScratch, which grows with the number of panels of 16 inputs, or
// math.MaxInt if that overflows.
func gradScratch(in int) int {
	const panel = 16
	return product(kernels.GradScratch(panel), (in+panel-1)/panel)
}
