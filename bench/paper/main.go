// Command paper repeats the experiments of the paper (Bahdanau, Cho and Bengio, 2014, section 4) in
// miniature: it trains RNNencdec and RNNsearch on the sentences of a corpus up to several lengths, and
// compares the models as in Table 1, Figure 2 and Figure 3.
//
//	paper run [flags]      train the models, translate, and write the results
//	paper align [flags]    train both directions as word aligners, and compare with alignments by hand
//	paper inflect [flags]  train models of inflection, and count the forms that they find
//	paper page [flags]     update the tables of README.md from results
//
// run (run.go) writes the text (corpus.go), trains each system with the command rnnsearch, which it
// builds (train.go), translates the test with every model and scores it (score.go), and writes
// result.json (result.go) and the figures (figures.go). align folds its text (folding.go) and links
// what the words of a pair (linked.go) need of each other (omission.go), as far as both directions
// agree (agreement.go). page reads all results again (tables.go). The same command resumes an
// interrupted run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `usage: paper run [flags]      train the models, translate, and write the results
       paper align [flags]    train both directions as word aligners, and compare with alignments by hand
       paper inflect [flags]  train models of inflection, and count the forms that they find
       paper page [flags]     update the tables of the page from results
Use -h after a command to list its flags.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	// A terminal also sends the signal to rnnsearch, whose exit then ends this program.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute executes the command line args and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	commands := map[string]func(ctx context.Context, args []string, stdout, stderr io.Writer) error{"run": run, "align": align, "inflect": inflect, "page": page}
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprint(stderr, usage)
		return 2
	}
	err := commands[args[0]](ctx, args[1:], stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "paper:", err)
		return 1
	}
	return 0
}

// parse parses args, which must be flags only.
func parse(f *flag.FlagSet, args []string, stderr io.Writer) error {
	f.SetOutput(stderr)
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%s: unexpected argument %q", f.Name(), f.Arg(0))
	}
	return nil
}
