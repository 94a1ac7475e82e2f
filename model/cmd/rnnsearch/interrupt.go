package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// interruptedCode is the exit code after SIGINT or SIGTERM, as shells have it for SIGINT: 128 plus
// the number of the signal.
const interruptedCode = 130

// exitOnSignal is the default PersistentPreRun: a signal removes unfinished outputs and exits at once.
func exitOnSignal(c *cobra.Command, _ []string) { exitAfter(c.Context()) }

// exitAfter removes unfinished outputs and exits when ctx ends, unless stop is called before.
func exitAfter(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		files.RemoveUnfinished(func() { os.Exit(interruptedCode) })
	})
}

// stopOnSignal is the PersistentPreRun of a command that stops by itself when a signal ends its
// context.
func stopOnSignal(*cobra.Command, []string) {}
