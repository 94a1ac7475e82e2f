// Command rnnsearch trains the translation model of Bahdanau, Cho and Bengio (2014), translates
// with it and evaluates translations.
//
//	rnnsearch demo         trains on generated English and French and translates new sentences
//	rnnsearch train        trains on parallel text
//	rnnsearch average      averages the weights of models
//	rnnsearch quantize     writes a model with weights of int8
//	rnnsearch translate    translates standard input, one sentence per line
//	rnnsearch serve        translates over HTTP, with a page that shows the attention
//	rnnsearch site         writes that page as static files that need no server
//	rnnsearch bleu         compares standard input with reference translations
//	rnnsearch score        prints the log-probabilities of given translations
//	rnnsearch align        shows what a model attends to
//	rnnsearch aer          compares alignments with those by hand, or symmetrizes them
//	rnnsearch info         describes a model file
//	rnnsearch plot         draws learning curves, or BLEU by sentence length
//	rnnsearch completion   prints a script that completes command lines
//
// Results go to standard output, progress and errors to standard error. The exit code is 0 after
// success, 1 after an error, also if only some lines could not be used, and 130 after SIGINT or
// SIGTERM, which serve obeys with 0.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the program
	code := run(ctx, os.Args[1:], terminal.Input(os.Stdin), terminal.Output(os.Stdout), terminal.Prose(os.Stderr))
	if code != 0 {
		training.AbortMPI(code)
	}
	os.Exit(code)
}

// run executes the command line args and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) && !errors.Is(err, terminal.ErrInterrupted) {
		err = terminal.ErrInterrupted
	}
	if err = asUsage(c, err); c.Name() == trainName {
		if err = training.EndRanks(ctx, err); err == nil {
			return 0
		}
	}
	if folder := files.MissingFolder(err); folder != "" {
		err = fmt.Errorf("%w; there is no folder %s", err, folder)
	}
	for line := range strings.Lines(err.Error()) { // several errors may be joined
		fmt.Fprintln(stderr, "rnnsearch:", terminal.Quote(strings.TrimSuffix(line, "\n")))
	}
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(stderr, "usage: %s; see %s --help\n", c.UseLine(), c.CommandPath())
	}
	if errors.Is(err, terminal.ErrInterrupted) {
		return interruptedCode
	}
	return 1
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:                   "rnnsearch COMMAND",
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
		Version:               version(),
	}
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate(versionTemplate)
	root.SetUsageTemplate(usageTemplate)
	describe(root)
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Train and translate", []*cobra.Command{newDemo(), newTrain(), newAverage(), newQuantize(), newTranslate(), newServe(), newSite()}},
		{"Evaluate and inspect", []*cobra.Command{newBLEU(), newScore(), newAlign(), newAER(), newInfo(), newPlot()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, c := range group.commands {
			c.GroupID = group.title
			c.Flags().SortFlags = false
			if c.Args == nil {
				c.Args, c.ValidArgsFunction = noArguments, cobra.NoFileCompletions
			}
			describe(c)
			completeNumbers(c)
			root.AddCommand(c)
		}
	}
	const more = "More"
	root.AddGroup(&cobra.Group{ID: more, Title: more + ":"})
	root.SetHelpCommandGroupID(more)
	root.SetCompletionCommandGroupID(more)
	return root
}

func init() {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("flagUsages", flagUsages)
}

const versionTemplate = "{{.Name}} version {{.Version}}"

// version returns what --version prints after "rnnsearch version ". The first line is the version of
// a release, the pseudo-version of the commit for a build from a checkout, and "(devel)" where the
// build recorded neither. A line each follows for the commit, if it is recorded, for the version of
// Go and the platform, and for the kernels that compute on this machine.
func version() string {
	number, commit := build()
	var b strings.Builder
	fmt.Fprintln(&b, number)
	if commit != "" {
		fmt.Fprintf(&b, "commit %s\n", commit)
	}
	fmt.Fprintf(&b, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "%s kernels\n", kernels.Best())
	return b.String()
}

// build returns the version of a release or of a commit, "(devel)" where the build recorded neither,
// and the commit if it is recorded.
func build() (number, commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)", ""
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if commit = settings["vcs.revision"]; commit != "" && settings["vcs.modified"] == "true" {
		commit += ", with changes"
	}
	return cmp.Or(info.Main.Version, "(devel)"), commit
}
