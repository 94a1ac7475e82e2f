//go:build !purego && !noasm

package kernels

import "golang.org/x/sys/unix"

// permitTiles asks Linux, for the whole process, to save the tiles of its threads, and reports whether it
// does. It refuses before version 5.16, and where a thread has too small a stack for signals.
func permitTiles() bool {
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	_, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
}
