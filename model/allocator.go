package model

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/limits"
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

func (a *allocator) ints(n int) []int         { return allocate[int](a, n, strconv.IntSize/8) }
func (a *allocator) int32s(n int) []int32     { return allocate[int32](a, n, 4) }
func (a *allocator) uint64s(n int) []uint64   { return allocate[uint64](a, n, 8) }
func (a *allocator) float64s(n int) []float64 { return allocate[float64](a, n, 8) }

// rowsBF16 returns a row of that many words of 4 bytes.
func (a *allocator) rowsBF16(words int) kernels.RowsBF16 {
	if a == nil {
		return kernels.NewRowsBF16(1, 2*words)
	}
	a.count(words, 4)
	return kernels.RowsBF16{}
}

// packedBF16 returns weights of zeros.
func (a *allocator) packedBF16(out, in int) kernels.PackedBF16 {
	if a == nil {
		return kernels.NewPackedBF16(out, in)
	}
	a.count(lengthOf(kernels.PackedBF16LenOK, kernels.PackedBF16Len, out, in), 4)
	return kernels.PackedBF16{Out: out, In: in}
}

// allocate allocates or counts n zeros of size bytes each.
func allocate[T any](a *allocator, n, size int) []T {
	if a != nil {
		a.count(n, size)
		return nil
	}
	return make([]T, n)
}

// count counts n values of size bytes, up to 8, each.
func (a *allocator) count(n, size int) {
	if n < 0 || int64(n) > limits.Bytes {
		a.bytes = math.MaxInt64
		return
	}
	a.add(int64(n) * int64(size))
}

func (a *allocator) add(bytes int64) { a.bytes += min(bytes, math.MaxInt64-a.bytes) }

// checkBytes returns an error that wraps ErrConfig if that is more than a constructor allocates.
func checkBytes(bytes int64) error {
	if bytes > limits.Bytes {
		return fmt.Errorf("%w: buffers of more than %d bytes", ErrConfig, int64(limits.Bytes))
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
