package main

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// pin binds this goroutine to processor cpu and returns cpu, or the last processor it may use if
// cpu is negative. Processes that it starts inherit the binding.
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
