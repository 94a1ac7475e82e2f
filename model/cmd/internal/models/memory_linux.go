package models

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

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
	if bytes, file, ok := cgroup("/"); ok {
		list = append(list, limit{bytes, used, "its cgroup (" + file + ")"})
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

// cgroup returns the smallest limit of the cgroup of this process and of those above it, and the file that
// has it. The files of the system are below root.
func cgroup(root string) (bytes uint64, file string, ok bool) {
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	mounts, _ := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(fields) < 3 {
			continue
		}
		kind, option, name := "cgroup2", "", "memory.max"
		if fields[1] != "" {
			kind, option, name = "cgroup", "memory", "memory.limit_in_bytes"
		}
		if option != "" && !has(fields[1], option) {
			continue
		}
		top, point, found := mounted(string(mounts), kind, option)
		if !found {
			continue
		}
		// In a container, the mount shows the cgroup of the container as its root.
		below, _ := strings.CutPrefix(fields[2], strings.TrimSuffix(top, "/"))
		for folder := path.Clean("/" + below); ; folder = path.Dir(folder) {
			at := path.Join(point, folder, name)
			text, err := os.ReadFile(filepath.Join(root, at))
			n, invalid := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && invalid == nil && (!ok || n < bytes) { // not "max"
				bytes, file, ok = n, at, true
			}
			if folder == "/" {
				break
			}
		}
	}
	return bytes, file, ok
}

// mounted returns the root and the mount point of the first file system of that kind with that option.
func mounted(mounts, kind, option string) (top, point string, ok bool) {
	for line := range strings.Lines(mounts) {
		place, system, _ := strings.Cut(line, " - ")
		where, what := strings.Fields(place), strings.Fields(system)
		if len(where) > 4 && len(what) > 2 && what[0] == kind && (option == "" || has(what[2], option)) {
			return where[3], where[4], true
		}
	}
	return "", "", false
}

// has reports whether a list that commas separate has an item.
func has(list, item string) bool { return strings.Contains(","+list+",", ","+item+",") }
