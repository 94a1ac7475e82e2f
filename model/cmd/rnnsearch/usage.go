package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// A usageError is a command line that is not one of a command. The usage of the command follows it.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

// explain returns the error of the command c, for the command line args of root, in plain words. An
// error about the command line is a usageError.
func explain(root, c *cobra.Command, args []string, err error) error {
	if _, _, unknown := root.Find(args); unknown != nil {
		return unknownCommand(root, args, unknown)
	}
	for _, check := range []struct{ cobra, plain func() error }{
		{c.ValidateRequiredFlags, func() error { return missingFlags(c) }},
		{c.ValidateFlagGroups, func() error { return checkGroups(c.Flags()) }},
	} {
		if e := check.cobra(); e == nil || e.Error() != err.Error() {
			continue
		}
		if plain := check.plain(); plain != nil {
			return plain
		}
	}
	return err
}

// unknownCommand returns the error for args without the name of a command. err is that of cobra, which
// has the name.
func unknownCommand(root *cobra.Command, args []string, err error) error {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	name := args[max(0, slices.IndexFunc(args, func(arg string) bool { return strings.Contains(err.Error(), strconv.Quote(arg)) }))]
	if similar := nearest(name, names); similar != "" {
		return usageError{fmt.Sprintf("%q: unknown command, did you mean %s?", name, similar)}
	}
	return usageError{fmt.Sprintf("%q: unknown command, expected one of %s", name, strings.Join(names, ", "))}
}

// isRequired reports whether a command cannot run without the flag.
func isRequired(f *pflag.Flag) bool { return f.Annotations[cobra.BashCompOneRequiredFlag] != nil }

func missing(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if isRequired(f) && !f.Changed {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

func missingFlags(c *cobra.Command) error {
	return usageError{"missing " + listed(missing(c))}
}

func listed(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// flagError is the error of a command line whose flags cannot be parsed.
func flagError(c *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		empty   *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(c.Flags(), unknown)
	case errors.As(err, &empty):
		value, _ := pflag.UnquoteUsage(empty.GetFlag())
		return usageError{fmt.Sprintf("--%s: expected a value, as in --%[1]s %s", empty.GetFlag().Name, strings.ToUpper(value))}
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return usageError{fmt.Sprintf("--%s %s: expected %s", f.Name, invalid.GetValue(), jsonTypes[f.Value.Type()])}
	case errors.As(err, &syntax):
		return usageError{fmt.Sprintf("%s: not a flag", syntax.GetSpecifiedFlag())}
	}
	return err
}

func unknownFlag(flags *pflag.FlagSet, unknown *pflag.NotExistError) error {
	given, name := "--"+unknown.GetSpecifiedName(), unknown.GetSpecifiedName()
	if short := unknown.GetSpecifiedShortnames(); short != "" { // such as -model for --model
		given = "-" + short
		name, _, _ = strings.Cut(short, "=")
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if similar := nearest(name, names); similar != "" {
		return usageError{fmt.Sprintf("%s: unknown flag, did you mean --%s?", given, similar)}
	}
	return usageError{given + ": unknown flag"}
}

// hintArguments is the Args of a command that takes no arguments. It says what a file or a text given as
// arguments is probably meant for.
func hintArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	expected, input, model := "expected no argument", c.Flags().Lookup("input"), c.Flags().Lookup("model")
	names, isModel := missing(c), strings.HasSuffix(args[0], ".safetensors")
	switch {
	case (input != nil && !input.Changed || c.Name() == "align") && isText(args[0]):
		expected = fmt.Sprintf("expected text on standard input, as in echo %s | %s %s", terminal.ShellQuote(strings.Join(args, " ")), program(), c.Name())
	case input != nil && !input.Changed && !isModel:
		expected = "expected --input " + args[0]
	case len(names) > 0:
		name := names[0]
		if !isModel && slices.Contains(names, "--source") {
			name = "--source"
		}
		expected = fmt.Sprintf("expected %s %s", name, args[0])
	case model != nil && strings.Contains(model.DefValue, builtInModels[0]) && !model.Changed && (isModel || !readsStandardInput[c.Name()]):
		expected = "expected --model " + args[0]
	case readsStandardInput[c.Name()]:
		expected = "expected < " + args[0]
	}
	return usageError{fmt.Sprintf("%q: unexpected argument, %s", args[0], expected)}
}

// isText reports whether an argument is text rather than the name of a file.
func isText(argument string) bool {
	_, err := os.Stat(argument)
	return err != nil && (strings.Contains(argument, " ") || !strings.ContainsAny(argument, "./\\"))
}

// readsStandardInput are the names of commands without arguments that read standard input only.
var readsStandardInput = map[string]bool{"bleu": true, "align": true}

// nearest returns the candidate that name was probably meant to be, or nothing.
func nearest(name string, candidates []string) string {
	const mistakes = 2 // in a name of at least four letters
	best, similar := min(mistakes, len(name)/2)+1, ""
	for _, candidate := range candidates {
		if d := distance(name, candidate); d < best {
			best, similar = d, candidate
		}
	}
	if similar != "" {
		return similar
	}
	for _, candidate := range candidates {
		if len(name) > 1 && strings.HasPrefix(candidate, name) {
			return candidate
		}
	}
	return ""
}

// distance returns how many insertions, deletions, substitutions and swaps of neighbors turn a into b
// (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			substitution := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				substitution++
			}
			rows[i][j] = min(substitution, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
