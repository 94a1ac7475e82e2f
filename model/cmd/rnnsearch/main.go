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
//	rnnsearch plot         draws training curves
//	rnnsearch completion   prints a script that completes command lines
//
// Results go to standard output, progress and errors to standard error. The exit code is 0 after
// success, 1 after an error, also if only some lines could not be used, and 130 after SIGINT or
// SIGTERM, which serve obeys with 0.
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

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the program
	code := run(ctx, os.Args[1:], os.Stdin, terminal.Output(os.Stdout), terminal.Prose(os.Stderr))
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
	if err = explain(root, c, args, err); c.Name() == trainName {
		if err = training.EndRanks(ctx, err); err == nil {
			return 0
		}
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
		Short:                 "Neural machine translation with attention (arXiv 1409.0473)",
		Long: `Rnnsearch learns to translate from parallel text: two files in which line n of
one is the translation of line n of the other. Its models have attention and
are those of Bahdanau, Cho and Bengio (arXiv 1409.0473).

Models for everyday English and French are built in. They translate lines of
text, and show what they attend to on a page in the browser:

  echo 'Hello, how are you?' | go run ./model/cmd/rnnsearch translate
  go run ./model/cmd/rnnsearch serve

The demo trains on generated English and French for a minute or two:

  go run ./model/cmd/rnnsearch demo
  echo 'The cat sees a red house.' |
    go run ./model/cmd/rnnsearch translate --model demo.safetensors

With text of your own, one sentence per line:

  go run ./model/cmd/rnnsearch train --source text.en --target text.fr \
    --source-language en --target-language fr --recipe small \
    --model model.safetensors
  go run ./model/cmd/rnnsearch translate --model model.safetensors < new.en > new.fr

Results go to standard output, progress and errors to standard error. The exit
code is 0 after success, 1 after an error, also if only some lines could not be
used, and 130 after Ctrl-C (SIGINT) or SIGTERM, which serve obeys with 0.`,
		PersistentPreRun:  exitOnSignal,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           version(),
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true}, // newCompletion is plainer
	}
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate(versionTemplate)
	root.SetUsageTemplate(usageTemplate)
	for _, group := range commandGroups {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, c := range group.commands() {
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(newHelp())
	root.SetHelpCommandGroupID(commandGroups[len(commandGroups)-1].title)
	root.Long = inProgram(root.Long)
	for _, c := range root.Commands() {
		c.Long, c.Example = inProgram(c.Long), inProgram(c.Example)
		c.Flags().SortFlags = false
		completeNothing(c)
		if c.Args != nil && c.ValidArgs == nil {
			c.Args = hintArguments
		}
	}
	return root
}

var commandGroups = []struct {
	title    string
	commands func() []*cobra.Command
}{
	{"Train and translate", func() []*cobra.Command {
		return []*cobra.Command{newDemo(), newTrain(), newAverage(), newQuantize(), newTranslate(), newServe(), newSite()}
	}},
	{"Evaluate and inspect", func() []*cobra.Command {
		return []*cobra.Command{newBLEU(), newScore(), newAlign(), newAER(), newInfo(), newPlot()}
	}},
	{"More", func() []*cobra.Command { return []*cobra.Command{newCompletion()} }},
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND]",
		DisableFlagsInUseLine: true,
		Short:                 "Print the help of a command",
		RunE: func(c *cobra.Command, args []string) error {
			other, _, err := c.Root().Find(args)
			if err != nil {
				return unknownCommand(c.Root(), args, err)
			}
			other.InitDefaultHelpFlag()
			other.InitDefaultVersionFlag()
			return other.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			for _, other := range c.Root().Commands() {
				if len(args) == 0 && !other.Hidden {
					names = append(names, other.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func init() {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("flagUsages", flagUsages)
}

// usageTemplate is what follows the description of a command in its help.
const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{$commands := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $commands}}{{if eq .GroupID $group.ID}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}
{{flagUsages .LocalFlags}}{{if .HasAvailableSubCommands}}
{{.CommandPath}} COMMAND --help has examples of a command and its flags.
{{end}}`

// inProgram returns help with the command that users run this program with in place of go run.
func inProgram(help string) string { return strings.ReplaceAll(help, runFromClone, program()) }

// runFromClone runs the program from the root of a clone.
const runFromClone = "go run ./model/cmd/rnnsearch"

// program returns the command that users run this program with.
func program() string {
	if strings.Contains(os.Args[0], "go-build") { // the binary of go run or go test
		return runFromClone
	}
	return os.Args[0]
}

func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:                   "completion bash|zsh|fish|powershell",
		DisableFlagsInUseLine: true,
		Short:                 "Print a script that makes a shell complete command lines",
		Long: `Print a script with which a shell completes the commands, flags and files of
rnnsearch when you press Tab. The program must be in PATH by that name. To have
it in every session:

  bash        put  source <(rnnsearch completion bash)  into ~/.bashrc,
              and install the package bash-completion
  zsh         put  source <(rnnsearch completion zsh)  into ~/.zshrc, after
              autoload -U compinit && compinit
  fish        rnnsearch completion fish > \
              ~/.config/fish/completions/rnnsearch.fish
  powershell  rnnsearch completion powershell >> $PROFILE`,
		Example:   `  go run ./model/cmd/rnnsearch completion bash > /tmp/rnnsearch.bash`,
		ValidArgs: []cobra.Completion{"bash", "zsh", "fish", "powershell"},
		RunE: func(c *cobra.Command, args []string) error {
			return complete(c.Root(), c.OutOrStdout(), args)
		},
	}
}

func complete(root *cobra.Command, w io.Writer, args []string) error {
	const descriptions = true
	const expected = "expected one of bash, zsh, fish, powershell"
	switch len(args) {
	case 0:
		return usageError{"missing shell: " + expected}
	case 1:
	default:
		return usageError{fmt.Sprintf("%d shells: %s", len(args), expected)}
	}
	switch args[0] {
	case "bash":
		return root.GenBashCompletionV2(w, descriptions)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, descriptions)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return usageError{fmt.Sprintf("%q: %s", args[0], expected)}
}
