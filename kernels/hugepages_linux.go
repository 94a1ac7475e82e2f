package kernels

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages behind data, which starts on a huge page boundary. A system
// without them refuses, which changes no result.
func adviseHuge(data []float32) {
	size := len(data) * 4 &^ (hugePage - 1)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), size)
	_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE)
}
