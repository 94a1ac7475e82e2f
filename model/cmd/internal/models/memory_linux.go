package models

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"golang.org/x/sys/unix"
)

// limits returns what bounds the memory of this process.
func limits() (list []limit) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	used := stats.HeapInuse + stats.StackInuse
	for _, resource := range []struct {
		id, field int // of statm
		of        string
	}{{unix.RLIMIT_AS, 0, "the limit of its address space (ulimit -v)"}, {unix.RLIMIT_DATA, 5, "the limit of its data (ulimit -d)"}} {
		var r unix.Rlimit
		if unix.Getrlimit(resource.id, &r) == nil && r.Cur != unix.RLIM_INFINITY {
			list = append(list, limit{r.Cur, statm(resource.field), resource.of})
		}
	}
	if bytes, err := memlimit.FromCgroup(); err == nil {
		list = append(list, limit{bytes, used, "its cgroup"})
	}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		unit := uint64(info.Unit)
		list = append(list, limit{(uint64(info.Totalram) + uint64(info.Totalswap)) * unit, used, "the machine"})
	}
	return list
}

// statm returns a field of the sizes of this process, in bytes.
func statm(field int) uint64 {
	text, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(text))
	if field >= len(fields) {
		return 0
	}
	pages, _ := strconv.ParseUint(fields[field], 10, 64)
	return pages * uint64(os.Getpagesize())
}
