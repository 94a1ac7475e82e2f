package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"
)

// interruptedCode is the exit code after SIGINT or SIGTERM: 128 and the number of the former,
// as shells have it.
const interruptedCode = 130

// errInterrupted is the error of a command that a signal ended early.
var errInterrupted = errors.New("interrupted")

// endAtOnce lets a signal end a command that has nothing to save. It is what commands do unless
// their PersistentPreRun is endInOrder.
func endAtOnce(c *cobra.Command, _ []string) {
	context.AfterFunc(c.Context(), func() { os.Exit(interruptedCode) })
}

// endInOrder leaves signals to a command that looks whether its context is done.
func endInOrder(*cobra.Command, []string) {}
