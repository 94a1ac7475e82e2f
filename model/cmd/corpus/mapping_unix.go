//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package corpus

import (
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"runtime/debug"
	"syscall"
)

// mapFile maps a regular file of that size into memory for reading. Reading a part that another process
// has cut off is an error. On systems of 32 bits, and where mapping is missing or fails, as for some
// network file systems, mapFile returns f. Close closes f as well.
func mapFile(f *os.File, size int64) readerAtCloser {
	if bits.UintSize < 64 || size <= 0 {
		return f
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return f
	}
	return &mapping{f, data}
}

type mapping struct {
	file *os.File
	data []byte
}

var errCut = errors.New("cut off or unreadable since it was opened")

func (m *mapping) ReadAt(p []byte, at int64) (n int, err error) {
	if at < 0 || at > int64(len(m.data)) {
		return 0, &fs.PathError{Op: "read", Path: m.file.Name(), Err: fs.ErrInvalid}
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault := recover()
		if _, ok := fault.(interface{ Addr() uintptr }); ok {
			n, err = 0, &fs.PathError{Op: "read", Path: m.file.Name(), Err: errCut}
		} else if fault != nil {
			panic(fault)
		}
	}()
	if n = copy(p, m.data[at:]); n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *mapping) Close() error { return errors.Join(syscall.Munmap(m.data), m.file.Close()) }
