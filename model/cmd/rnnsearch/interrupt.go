package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/files"
)

// interruptedCode is the exit code after SIGINT or SIGTERM, as shells have it for SIGINT: 128 plus
// the number of the signal.
const interruptedCode = 130

// errInterrupted is the error of a command that a signal ended early.
var errInterrupted = errors.New("interrupted")

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

// untilInterrupted returns the results of f, or errInterrupted as soon as ctx ends or if f fails at its
// end. Then f may go on in the background until the program exits, and must not matter any more.
func untilInterrupted[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type results struct {
		value T
		err   error
	}
	c := make(chan results, 1)
	go func() {
		value, err := f()
		c <- results{value, err}
	}()
	select {
	case r := <-c:
		if r.err != nil && ctx.Err() != nil {
			r.err = errInterrupted
		}
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, errInterrupted
	}
}
