package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes the command line args and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "rnnsearch:", err)
	if errors.Is(err, errInterrupted) {
		return interruptedCode
	}
	return 1
}

// newRoot returns the command with its subcommands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:               "rnnsearch",
		Version:           version(),
		Short:             "Neural machine translation with attention (arXiv 1409.0473)",
		PersistentPreRun:  exitOnSignal,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(newDemo(), newTrain(), newTranslate(), newBLEU(), newScore(), newAlign(), newInfo(), newPlot())
	return root
}

// require marks flags without which a command cannot run.
func require(c *cobra.Command, names ...string) {
	for _, name := range names {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}
