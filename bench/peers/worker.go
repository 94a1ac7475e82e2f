package main

import (
	"fmt"
	"io"
	"os"

	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/wire"
)

// The workers of this binary.
const (
	workerGo        = "go"        // the kernels and the Go libraries
	workerLower     = "lower"     // the same libraries in contender.LowerEnvironment
	workerOpenBLAS  = "openblas"  // OpenBLAS; with the flag bounds also the read loop and the peak
	workerBreakdown = "breakdown" // profiled operations of one model
	workerMemory    = "memory"    // the memory of an update
	flagBounds      = "bounds"
)

// worker answers requests on standard input. What libraries print goes to standard error.
func worker(args []string, _, _ io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("worker: no name")
	}
	switch args[0] {
	case workerBreakdown:
		return serveBreakdown(os.Stdin, os.Stdout)
	case workerMemory:
		return serveMemory(os.Stdout)
	}
	w, err := newWorker(args[0], args[1:])
	if err != nil {
		return err
	}
	replies := os.Stdout
	os.Stdout = os.Stderr
	return w.Serve(os.Stdin, replies)
}

func newWorker(name string, args []string) (*wire.Worker, error) {
	switch name {
	case workerGo:
		return &wire.Worker{Facts: libraries(), Contenders: contender.All()}, nil
	case workerLower:
		return &wire.Worker{Contenders: contender.Lower()}, nil
	case workerOpenBLAS:
		if w := openBLAS(len(args) > 0 && args[0] == flagBounds); w != nil {
			return w, nil
		}
		return nil, errNoOpenBLAS
	}
	return nil, fmt.Errorf("worker: no worker %q", name)
}
