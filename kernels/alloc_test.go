package kernels

import (
	"testing"
	"unsafe"
)

func TestAlloc(t *testing.T) {
	const huge = hugePage / 4
	for _, c := range []struct {
		n     int
		align uintptr
	}{
		{0, 1}, {1, cacheLine}, {15, cacheLine}, {16, cacheLine}, {1003, cacheLine},
		{2*huge - 1, cacheLine}, {2 * huge, hugePage}, {2*huge + 7, hugePage},
	} {
		for range 3 {
			x := Alloc(c.n)
			if len(x) != c.n || cap(x) != c.n {
				t.Fatalf("Alloc(%d) has length %d and capacity %d", c.n, len(x), cap(x))
			}
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(x))); at%c.align != 0 {
				t.Errorf("Alloc(%d) starts at %#x, want a multiple of %d", c.n, at, c.align)
			}
			for i := range x {
				if x[i] != 0 {
					t.Fatalf("Alloc(%d)[%d] = %g, want 0", c.n, i, x[i])
				}
				x[i] = 1
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	lists := [][]kernel{
		vectorKernels(100), attentionKernels(5, 70, 72), rowKernels(5, 70, 72), productKernels(1, 40, 70),
		productKernels(13, 70, 70), productKernels(300, 17, 300), weightKernels(40, 70),
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, list := range lists {
			for _, kn := range list {
				values := operands(kn, fills[0], 1)
				if n := testing.AllocsPerRun(3, func() { kn.run(k, values) }); n != 0 {
					t.Errorf("%s %s %s: %g allocations, want 0", k, kn.name, kn.shape, n)
				}
			}
		}
	})
}
