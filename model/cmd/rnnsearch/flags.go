package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// A number is the value of an integer flag and its range.
type number struct {
	flag            string
	value, min, max int
}

// checkNumbers returns an error for the first value out of range.
func checkNumbers(numbers ...number) error {
	for _, n := range numbers {
		if n.value < n.min || n.value > n.max {
			return fmt.Errorf("--%s %d: expected %d to %d", n.flag, n.value, n.min, n.max)
		}
	}
	return nil
}

const (
	maxThreads = 1024 // of --threads
	maxBeam    = 1000 // of --beam
)

// addThreads adds --threads to a command.
func addThreads(c *cobra.Command, threads *int) {
	c.Flags().IntVar(threads, "threads", runtime.GOMAXPROCS(0), "number of threads, by default one per processor; does not affect results")
}

// addPairs adds the flags for a file of source sentences and one of their translations.
func addPairs(c *cobra.Command, source, target *string) {
	c.Flags().StringVar(source, "source", "", "`file` of source sentences")
	c.Flags().StringVar(target, "target", "", "`file` of their translations")
}

// require marks the flags that a command cannot run without.
func require(c *cobra.Command, names ...string) {
	for _, name := range names {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}
