package main

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/spf13/cobra"
)

// interruptedCode is the exit code after SIGINT or SIGTERM, as shells have it for SIGINT: 128 plus
// the number of the signal.
const interruptedCode = 130

// errInterrupted is the error of a command that a signal ended early.
var errInterrupted = errors.New("interrupted")

// exitOnSignal is the default PersistentPreRun: a signal removes unfinished outputs and exits at once.
func exitOnSignal(c *cobra.Command, _ []string) {
	context.AfterFunc(c.Context(), func() {
		unfinished.Lock() // no output is created or renamed from here on
		for o := range unfinished.outputs {
			o.Output.Close()
		}
		os.Exit(interruptedCode)
	})
}

// stopOnSignal is the PersistentPreRun of a command that stops by itself when a signal ends its
// context.
func stopOnSignal(*cobra.Command, []string) {}

// unfinished holds the outputs that have been created and not closed.
var unfinished = struct {
	sync.Mutex
	outputs map[*output]bool
}{outputs: map[*output]bool{}}
