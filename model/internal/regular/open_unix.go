//go:build unix

package regular

import (
	"io/fs"
	"syscall"
)

// Flags of open.
const (
	nonblock = syscall.O_NONBLOCK // a pipe does not wait for its writer
	noFollow = syscall.O_NOFOLLOW // a symbolic link is an error
)

// names returns the number of names that a file has.
func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
