package kernels

import "unsafe"

const (
	cacheLine = 64
	hugePage  = 2 << 20
)

// Alloc returns n zeros that start on a cache line. Allocations of several huge pages
// start on one, and the operating system is asked to back them with huge pages where it
// can.
func Alloc(n int) []float32 {
	align := cacheLine
	if n*4 >= 2*hugePage {
		align = hugePage
	}
	data := aligned(make([]float32, n+align/4), align)[:n:n]
	if align == hugePage {
		adviseHuge(data)
	}
	return data
}

// aligned returns x from the first address on that is a multiple of align bytes.
func aligned(x []float32, align int) []float32 {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return x[int(-address%uintptr(align))/4:]
}
