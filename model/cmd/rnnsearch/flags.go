package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// A number is the value of a flag and the bounds of it.
type number struct {
	flag               string
	value, least, most int
}

// checkNumbers returns an error for the first value out of bounds.
func checkNumbers(numbers ...number) error {
	for _, n := range numbers {
		if n.value < n.least || n.value > n.most {
			return fmt.Errorf("--%s %d: expected %d to %d", n.flag, n.value, n.least, n.most)
		}
	}
	return nil
}

// mostThreads bounds --threads.
const mostThreads = 1024

// addThreads adds the flag for the number of threads.
func addThreads(c *cobra.Command, threads *int) {
	c.Flags().IntVar(threads, "threads", runtime.GOMAXPROCS(0), "threads, by default one for each processor; results do not depend on their number")
}
