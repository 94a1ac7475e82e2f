package models

import (
	"errors"
	"fmt"
	"math"
	"os"
)

// ErrMemory is the error for more memory than there is.
var ErrMemory = errors.New("not enough memory")

// A limit is the memory that a process may have.
type limit struct {
	bytes uint64
	used  uint64 // of it by this process
	of    string // what sets the limit
}

// CheckMemory returns an error that wraps [ErrMemory] if this process may not have that many more bytes: its
// cgroups, its resource limits and the machine bound them, as far as the system tells. What names their use, advice
// says what to change. Bytes is math.MaxInt64 if it would be more.
func CheckMemory(bytes int64, what, advice string) error { return check(limits(), bytes, what, advice) }

func check(list []limit, bytes int64, what, advice string) error {
	const more = 4 // a quarter more for garbage, for buffers rounded up, and for what the caller does not count
	need := uint64(bytes) + uint64(bytes)/more
	for _, l := range list {
		if l.used <= l.bytes && need <= l.bytes-l.used {
			continue
		}
		needs := "more than 8 EiB"
		if bytes < math.MaxInt64 {
			needs = size(need)
		}
		return fmt.Errorf("%w: %s needs %s beside the %s in use, and %s has %s; %s", ErrMemory, what, needs, size(l.used), l.of, size(l.bytes), advice)
	}
	return nil
}

// CheckFile is Check for that many copies of the values in the file at path. It leaves what is no file to its
// reader.
func CheckFile(path string, copies int64) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return CheckMemory(copies*min(info.Size(), math.MaxInt64/copies), path, "expected a smaller file")
}

// size returns bytes in MiB, or GiB from 10 GiB on.
func size(bytes uint64) string {
	const mebi, gibi = 1 << 20, 1 << 30
	if bytes < 10*gibi {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/mebi)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/gibi)
}
