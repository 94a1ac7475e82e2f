package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/builtin"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/decode"
)

// A number is the value of an integer flag and its range.
type number struct {
	flag            string
	value, min, max int
}

func checkNumbers(numbers ...number) error {
	for _, n := range numbers {
		if n.value < n.min || n.value > n.max {
			return fmt.Errorf("--%s %d: expected %d to %d", n.flag, n.value, n.min, n.max)
		}
	}
	return nil
}

// A choice is a flag that has one of few values.
type choice struct {
	flag   string
	values []string
}

// checkChoices returns an error for the first flag that is set to another value.
func checkChoices(flags *pflag.FlagSet, choices ...choice) error {
	for _, c := range choices {
		f, last := flags.Lookup(c.flag), len(c.values)-1
		if value := f.Value.String(); f.Changed && !slices.Contains(c.values, value) {
			return fmt.Errorf("--%s %q: expected %s or %s%s", c.flag, value, strings.Join(c.values[:last], ", "), c.values[last], meant("", value, c.values))
		}
	}
	return nil
}

// meant asks for the values that a word may stand for, each after a prefix. It is empty if there are none.
func meant(prefix, word string, values []string) string {
	c := cobra.Command{SuggestionsMinimumDistance: min(2, len(word)/2)}
	for _, value := range values {
		c.AddCommand(&cobra.Command{Use: value, Run: func(*cobra.Command, []string) {}})
	}
	list := c.SuggestionsFor(word)
	if word == "" || len(list) == 0 {
		return ""
	}
	return "; did you mean " + prefix + strings.Join(list, " or "+prefix)
}

const maxBeam = 1000 // of --beam

// modelUsage is the help of flags of a model.
const modelUsage = "`file` of the model, or en-fr or fr-en for one that is built in"

// builtInModels are the models of serve without --model. Other commands use the first.
var builtInModels = builtin.Names()

func addModel(f *pflag.FlagSet, path *string) {
	f.StringVar(path, "model", builtInModels[0], modelUsage)
}

// addSearch adds the flags of a search, by default the model's. It returns a function that checks and sets
// what they say.
func addSearch(f *pflag.FlagSet, d *decode.Options, beam string) (check func(maxBeam int) error) {
	const maxAlpha = 10
	var alpha float64
	f.IntVar(&d.Beam, "beam", 0, beam+"; 1 is greedy search (default: the model's, or 5)")
	f.Float64Var(&alpha, "normalize", 0, "rank translations by log p / words^`ALPHA`; larger values favor longer ones (default: the model's, or 0)")
	return func(maxBeam int) error {
		if f.Changed("normalize") {
			if d.Normalization = &alpha; !(alpha >= 0 && alpha <= maxAlpha) {
				return fmt.Errorf("--normalize %v: expected 0 to %d", alpha, maxAlpha)
			}
		}
		if f.Changed("beam") {
			return checkNumbers(number{"beam", d.Beam, 1, maxBeam})
		}
		return nil
	}
}

// addUnknownWords adds the flags for <unk> in translations, which is replaced or not by default.
func addUnknownWords(f *pflag.FlagSet, d *decode.Options, replace bool) {
	f.BoolVar(&d.ForbidUNK, "forbid-unk", false, "never generate <unk>")
	f.BoolVar(&d.ReplaceUNK, "replace-unk", replace, "replace each <unk> by the source word with the largest attention weight")
}

// threads is the value of --threads, where 0 stands for one per processor.
type threads int

const maxThreads = 1024

func (t *threads) String() string { return strconv.Itoa(int(*t)) }
func (t *threads) Type() string   { return "threads" }

func (t *threads) Set(number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > maxThreads {
		return errors.New("another number")
	}
	*t = threads(cmp.Or(n, runtime.GOMAXPROCS(0)))
	return nil
}

func addThreads(c *cobra.Command, number *int) {
	*number = runtime.GOMAXPROCS(0)
	c.Flags().Var((*threads)(number), "threads", "`number` of threads, 0 for one per processor; does not affect results")
}

// addPairs adds the flags for a file of source sentences and one of their translations.
func addPairs(c *cobra.Command, source, target *string) {
	c.Flags().StringVar(source, "source", "", "`file` of source sentences")
	c.Flags().StringVar(target, "target", "", "`file` of their translations")
}

// addOptions adds the flags of an output.
func addOptions(c *cobra.Command, o *files.Options) {
	addOverwrite(c, &o.Overwrite)
	addNoLock(c.Flags(), &o.NoLock)
}

func addNoLock(f *pflag.FlagSet, noLock *bool) {
	f.BoolVar(noLock, "no-lock", false, "write without a lock, where file systems have none")
}

func addOverwrite(c *cobra.Command, overwrite *bool) {
	c.Flags().BoolVar(overwrite, "overwrite", false, "replace an existing file, text by text and a model by a model")
}

// errOverwriteNothing is the error for --overwrite without the output that it is about.
var errOverwriteNothing = errors.New("--overwrite: expected with --output")

// textOutput are the flags of commands that write text to standard output or to a file.
type textOutput struct {
	file string
	files.Options
}

func (o *textOutput) add(c *cobra.Command) {
	c.Flags().StringVar(&o.file, "output", "", "`file` to write instead of standard output; it appears when it is complete")
	addOptions(c, &o.Options)
}

// open starts the output to the file, or to stdout if there is none, see [files.Create].
func (o textOutput) open(stdout io.Writer, part *files.Part, inputs ...string) (*files.Output, error) {
	switch suffix := filepath.Ext(o.file); {
	case suffix == ".gz" || suffix == ".zst":
		return nil, fmt.Errorf("--output %s: is written without compression, expected a name without %s", o.file, suffix)
	case o.file == "" && o.Overwrite:
		return nil, errOverwriteNothing
	case o.file == "":
		return files.StandardOutput(stdout), nil
	}
	return files.Create("output", o.file, part, o.Options, inputs...)
}

// require marks the flags that a command cannot run without.
func require(c *cobra.Command, names ...string) {
	for _, name := range names {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}

// completeValues makes the shell complete the values of a flag.
func completeValues(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// completeNumbers keeps the shell from completing numbers by names of files.
func completeNumbers(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, completes := c.GetFlagCompletionFunc(f.Name)
		if !completes && slices.Contains([]string{"int", "threads", "uint64", "float64", "duration"}, f.Value.Type()) {
			completeValues(c, f.Name)
		}
	})
}

const titleAnnotation = "rnnsearch_title"

// flagGroup adds flags that stand under a title in help.
func flagGroup(flags *pflag.FlagSet, title string, add func(*pflag.FlagSet)) {
	before := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	add(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] {
			if err := flags.SetAnnotation(f.Name, titleAnnotation, []string{title}); err != nil {
				panic(err)
			}
		}
	})
}

// helpWidth is the width of a terminal that help fits.
const helpWidth = 80

// flagUsages returns the help of the flags of a command, by groups.
func flagUsages(flags *pflag.FlagSet) string {
	const rest = "Flags"
	groups := map[string]*pflag.FlagSet{}
	titles := []string{}
	flags.VisitAll(func(f *pflag.Flag) {
		title := rest
		if own := f.Annotations[titleAnnotation]; own != nil {
			title = own[0]
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
			groups[title].SortFlags = false
			titles = append(titles, title)
		}
		groups[title].AddFlag(f)
	})
	var b strings.Builder
	for _, title := range titles {
		fmt.Fprintf(&b, "\n%s:\n%s", title, groups[title].FlagUsagesWrapped(helpWidth))
	}
	return b.String()
}

// interruptedCode is the exit code after SIGINT or SIGTERM, as shells have it for SIGINT: 128 plus
// the number of the signal.
const interruptedCode = 130
