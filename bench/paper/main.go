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

const usage = `usage: paper run [flags]    train four models, translate, and write the results
       paper page [flags]   rewrite the tables of the page from results
The flag -h of each lists its flags.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	// A terminal sends it to the training, too, whose end is then that of this program.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute executes the command line args and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	commands := map[string]func(ctx context.Context, args []string, stdout, stderr io.Writer) error{"run": run, "page": page}
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

// parse parses args and refuses what is no flag.
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
