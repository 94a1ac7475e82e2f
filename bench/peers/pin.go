package main

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// pin moves this goroutine to one processor, for good, and returns which: the last that it may
// use where cpu is negative. Processes that it starts run there, too.
func pin(cpu int) (int, error) {
	runtime.LockOSThread()
	var set unix.CPUSet
	if cpu < 0 {
		if err := unix.SchedGetaffinity(0, &set); err != nil {
			return 0, fmt.Errorf("read affinity: %w", err)
		}
		for i := range 64 * len(set) {
			if set.IsSet(i) {
				cpu = i
			}
		}
	}
	set.Zero()
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return 0, fmt.Errorf("run on processor %d: %w", cpu, err)
	}
	return cpu, nil
}
