package kernels

import (
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An arena is memory between two guard pages, which any access makes fault.
type arena []float32

func newArena(t *testing.T, n int) arena {
	t.Helper()
	page := os.Getpagesize()
	size := (4*n/page + 1) * page
	mapping, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(mapping); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{mapping[:page], mapping[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&mapping[page])), size/4)
}

// hold returns a copy of values that ends at a guard page, or starts at one.
func (a arena) hold(values []float32, end bool) []float32 {
	n := len(values)
	if end {
		a = a[len(a)-n:]
	}
	copy(a[:n], values)
	return a[:n:n]
}

// guardedKernels has every remainder of vectors of 4, 8 and 16 lanes, alone and after whole vectors,
// every remainder of tiles of 6 and 8 rows and of 1 and 3 panels, and two calls of kernels that split
// their work.
func guardedKernels() (list []kernel) {
	for n := range 50 {
		list = slices.Concat(list, vectorKernels(n), attentionKernels(3, n, n+n%3), rowKernels(3, n, n+n%3))
	}
	for _, n := range []int{67, 128, 130} {
		list = slices.Concat(list, vectorKernels(n), attentionKernels(2, n, n))
	}
	batches := []int{1, 5, 9, 2, 6, 7, 8, 15, 17, 25}
	if !full() {
		batches = batches[:3]
	}
	for _, m := range batches {
		for _, rows := range []int{1, 15, 16, 17, 33, 47, 48, 49, 64, 96, 97, 113} {
			list = append(list, productKernels(m, rows, 1+(5*m+rows)%36)...)
			list = append(list, int8Kernels(m, rows, 1+(5*m+rows)%67)...)
			list = append(list, bf16Kernels(m, rows, 1+(5*m+rows)%67)...)
		}
	}
	for _, s := range [][3]int{{9, 50, tileDepth(maxTilePanels) + 3}, {gemmRows + 9, 49, 3}, {gradRows + 1, 49, 17}, {1, 150, 1024}} {
		list = append(list, productKernels(s[0], s[1], s[2])...)
	}
	for _, rows := range []int{1, 15, 16, 17, 32, 48, 49} {
		for _, cols := range []int{1, 7, 16, 17, 31, 48, 64} {
			list = append(list, weightKernels(rows, cols)...)
		}
	}
	return list
}

// TestGuardPages runs every kernel on operands that end or start at a guard page.
func TestGuardPages(t *testing.T) {
	list := guardedKernels()
	var sizes [8]int
	for _, kn := range list {
		for i, a := range kn.args {
			sizes[i] = max(sizes[i], a.n)
		}
	}
	var arenas [len(sizes)]arena
	for i, n := range sizes {
		arenas[i] = newArena(t, n)
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for _, kn := range list {
			values := operands(kn, fills[0], 1)
			want, got := clone(values), make([][]float32, len(values))
			kn.run(Impl{}, want)
			for _, end := range []bool{false, true} {
				for i, v := range values {
					got[i] = arenas[i].hold(v, end)
				}
				if fault := panics(func() { kn.run(k, got) }); fault != nil {
					t.Fatalf("%s %s %s, operands at the end %t: %v", k, kn.name, kn.shape, end, fault)
				}
				for i, a := range kn.args {
					if at := differs(got[i], want[i]); at >= 0 && a.use != works {
						t.Errorf("%s %s %s, operands at the end %t: %s[%d] = %g, want %g",
							k, kn.name, kn.shape, end, a.name, at, got[i][at], want[i][at])
					}
				}
			}
		}
	})
}

// TestGuards checks that an access on either side of an arena's values faults.
func TestGuards(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	a := newArena(t, 3)
	for _, end := range []bool{false, true} {
		for _, at := range []int{-1, 3} {
			x := a.hold(make([]float32, 3), end)
			touch := func() float32 { return *(*float32)(unsafe.Add(unsafe.Pointer(&x[0]), 4*at)) }
			beside := end == (at > 0)
			if fault := panics(func() { touch() }); (fault != nil) != beside {
				t.Errorf("values at the end %t, access to [%d]: fault %v, want one: %t", end, at, fault, beside)
			}
		}
	}
}
