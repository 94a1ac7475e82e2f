package main

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// pin binds this goroutine to n processors, the last of which is cpu, and returns cpu, or the last
// processor it may use if cpu is negative. Processes that it starts inherit the binding.
func pin(cpu, n int) (int, error) {
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
	for i := max(0, cpu-n+1); i <= cpu; i++ {
		set.Set(i)
	}
	// The system leaves out processors that it does not have.
	if err := errors.Join(unix.SchedSetaffinity(0, &set), unix.SchedGetaffinity(0, &set)); err != nil {
		return 0, fmt.Errorf("run on processor %d: %w", cpu, err)
	}
	if set.Count() < n {
		return 0, fmt.Errorf("run on %d processors up to %d: there are %d", n, cpu, set.Count())
	}
	return cpu, nil
}
