package model

import (
	"strconv"

	"github.com/softsearch-go/softsearch/kernels"
)

// An allocator stands in for make in constructors. A nil allocator allocates. Any other only adds
// up bytes and returns nil slices, so that what a capacity costs follows from the constructors
// themselves.
type allocator struct{ bytes int64 }

func (a *allocator) floats(n int) []float32 {
	if a != nil {
		a.bytes += 4 * int64(n)
		return nil
	}
	return kernels.Alloc(n)
}

func (a *allocator) ints(n int) []int         { return allocate[int](a, n, strconv.IntSize/8) }
func (a *allocator) int32s(n int) []int32     { return allocate[int32](a, n, 4) }
func (a *allocator) uint64s(n int) []uint64   { return allocate[uint64](a, n, 8) }
func (a *allocator) float64s(n int) []float64 { return allocate[float64](a, n, 8) }

// allocate allocates or counts n zeros of size bytes each.
func allocate[T any](a *allocator, n, size int) []T {
	if a != nil {
		a.bytes += int64(size) * int64(n)
		return nil
	}
	return make([]T, n)
}
