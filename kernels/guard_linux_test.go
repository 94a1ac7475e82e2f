package kernels

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns n values that end, or else start, at a page without any access rights.
func guarded(t *testing.T, n int, end bool) []float32 {
	t.Helper()
	page := os.Getpagesize()
	size := (4*n + page - 1) / page * page
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
	data := mapping[page : page+size]
	if end {
		data = data[size-4*n:]
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), n)
}

// TestGuardPages runs every kernel on operands beside pages whose access ends the process.
func TestGuardPages(t *testing.T) {
	var list []kernel
	for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 33, 67} {
		list = append(list, vectorKernels(n)...)
		list = append(list, attentionKernels(3, n, n)...)
		list = append(list, productKernels(1, n, 19)...)
		list = append(list, productKernels(7, 18, n)...)
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, kn := range list {
			values := operands(kn, fills[0], 1)
			want := clone(values)
			kn.run(Impl{}, want)
			for _, end := range []bool{false, true} {
				t.Run(kn.name+" "+kn.shape, func(t *testing.T) {
					got := make([][]float32, len(values))
					for i, v := range values {
						got[i] = guarded(t, len(v), end)
						copy(got[i], v)
					}
					kn.run(k, got)
					for i, a := range kn.args {
						if at := differs(got[i], want[i]); at >= 0 {
							t.Errorf("%s %s %s: %s[%d] = %g, want %g", k, kn.name, kn.shape, a.name, at, got[i][at], want[i][at])
						}
					}
				})
			}
		}
	})
}
