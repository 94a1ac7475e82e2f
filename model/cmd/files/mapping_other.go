//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import "os"

// Map returns f, which is read without mapping it into memory on this system.
func Map(f *os.File, _ int64) ReaderAtCloser { return f }
