package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

// interrupted is the exit code after Ctrl-C, as of a program that the signal ends.
const interrupted = 128 + 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends what does not look at ctx
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes the command line args until ctx ends and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(&interruptible{ctx: ctx, r: stdin})
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		if errors.Is(err, context.Canceled) {
			fmt.Fprintln(stderr, "rnnsearch: interrupted")
			return interrupted
		}
		fmt.Fprintln(stderr, "rnnsearch:", err)
		return 1
	}
	return 0
}

// newRoot returns the command with its subcommands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:               "rnnsearch",
		Short:             "Neural machine translation with attention (arXiv 1409.0473)",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(newDemo(), newTrain(), newTranslate(), newBLEU())
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
