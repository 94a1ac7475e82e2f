package bench

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestZeros checks that the operating system has given every page of zeros its memory.
func TestZeros(t *testing.T) {
	const n = 16 << 20
	x, size := zeros(n), os.Getpagesize()
	resident := make([]byte, 4*n/size)
	_, _, err := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(x))), uintptr(len(resident)*size),
		uintptr(unsafe.Pointer(unsafe.SliceData(resident))))
	if err != 0 {
		t.Skip("mincore: ", err)
	}
	for i, r := range resident {
		if r&1 == 0 {
			t.Fatalf("page %d of %d is not in memory", i, len(resident))
		}
	}
}
