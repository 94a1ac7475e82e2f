// Command rnnsearch trains the translation model of Bahdanau, Cho and Bengio (2014), translates
// with it and evaluates translations.
//
//	rnnsearch demo         trains on generated English and French and translates new sentences
//	rnnsearch train        trains on parallel text
//	rnnsearch translate    translates standard input, one sentence per line
//	rnnsearch bleu         compares standard input with reference translations
//	rnnsearch score        prints the log-probabilities of given translations
//	rnnsearch align        shows what a model attends to
//	rnnsearch info         describes a model file
//	rnnsearch plot         draws training curves
//
// Results go to standard output, progress and errors to standard error. The exit code is 1
// after an error, and 130 after SIGINT or SIGTERM.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the program
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
		Short:             "Neural machine translation with attention (arXiv 1409.0473)",
		PersistentPreRun:  exitOnSignal,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           version(),
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(newDemo(), newTrain(), newTranslate(), newBLEU(), newScore(), newAlign(), newInfo(), newPlot())
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	for _, c := range root.Commands() {
		c.Example = strings.ReplaceAll(c.Example, runFromClone, program())
	}
	return root
}

// runFromClone runs the program from the root of a clone.
const runFromClone = "go run ./model/cmd/rnnsearch"

// program returns the command that users run this program with.
func program() string {
	if strings.Contains(os.Args[0], "go-build") { // the binary of go run or go test
		return runFromClone
	}
	return os.Args[0]
}
