package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed help
var helpFiles embed.FS

var helpTexts = template.Must(template.ParseFS(helpFiles, "help/*.txt"))

// helpText returns the text of a file in help.
func helpText(name string) string {
	data := map[string]string{}
	if name != "example" && name != "words" {
		data["Example"], data["Words"] = strings.TrimSuffix(helpText("example"), "\n"), helpText("words")
	}
	var b strings.Builder
	if err := helpTexts.ExecuteTemplate(&b, name+".txt", data); err != nil {
		panic(err)
	}
	return strings.ReplaceAll(b.String(), runFromClone, program())
}

// describe sets the texts of a command: the first line of its file is a summary.
func describe(c *cobra.Command) {
	description, examples, _ := strings.Cut(helpText(c.Name()), "\n\nExamples:\n")
	c.Short, c.Long, _ = strings.Cut(strings.TrimSuffix(description, "\n"), "\n\n")
	c.Example = strings.TrimSuffix(examples, "\n")
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

// usageTemplate is what follows the description of a command in its help.
const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{$commands := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $commands}}{{if eq .GroupID $group.ID}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{else}}{{range $commands}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{flagUsages .LocalFlags}}{{if .HasAvailableSubCommands}}
{{.CommandPath}} COMMAND --help has examples of a command and its flags.
{{end}}`

// A usageError is a command line that is not one of a command. The usage of the command follows it.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

// asUsage returns the error of the command c, on one line and as a usageError if cobra has refused the command line.
func asUsage(c *cobra.Command, err error) error {
	for _, check := range []func() error{c.ValidateRequiredFlags, c.ValidateFlagGroups} {
		if e := check(); e != nil && e.Error() == err.Error() {
			return usageError{e.Error()}
		}
	}
	if strings.HasPrefix(err.Error(), "unknown command ") {
		return usageError{strings.NewReplacer("\n\nDid you mean this?\n\t", "; did you mean ", "\n\t", " or ", "\n", "").Replace(err.Error())}
	}
	return err
}

// flagError is the error of a command line whose flags cannot be parsed.
func flagError(c *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		return usageError{fmt.Sprintf("--%s %s: expected %s", f.Name, invalid.GetValue(), jsonTypes[f.Value.Type()])}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return usageError{err.Error() + meant("--", unknown.GetSpecifiedName(), names)}
	}
	return usageError{err.Error()}
}

// noArguments is the Args of a command that takes none.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Sprintf("%q: unexpected argument", args[0])}
	}
	return nil
}
