package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// jsonTypes says what a flag of a type expects.
var jsonTypes = map[string]string{
	"string": "a string", "strings": "a string or a list of strings", "bool": "true or false", "int": "an integer", "threads": "an integer, 0 to 1024", "uint64": "an integer, at least 0", "float64": "a number",
	"duration": "a time such as 30s",
}

// setFromFile sets the flags in the file of --settings that the command line does not set. They count as given.
func (o *trainOptions) setFromFile(flags *pflag.FlagSet) error {
	if !flags.Changed("settings") {
		return nil
	}
	const limit = 1 << 20
	data, err := files.ReadFile(o.settings, limit)
	if err != nil {
		return fmt.Errorf("--settings: %w", err)
	}
	if err := setFrom(flags, data); err != nil {
		return fmt.Errorf("--settings %s: %w", o.settings, err)
	}
	return nil
}

// setFrom sets the flags in a JSON object that are not set, without some.
func setFrom(flags *pflag.FlagSet, data []byte, without ...string) error {
	var settings map[string]jsontext.Value
	if err := json.Unmarshal(data, &settings); err != nil || settings == nil {
		return fmt.Errorf("expected a JSON object that maps names of flags to values: %w", cmp.Or(err, errors.New("null")))
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		f := flags.Lookup(name)
		if f == nil || name == "settings" || name == "help" {
			return fmt.Errorf("%q: expected the name of a flag of train, without dashes, other than settings and help", name)
		}
		if f.Changed || slices.Contains(without, name) {
			continue
		}
		values, err := flagValues(settings[name], f.Value.Type())
		for _, value := range values {
			err = cmp.Or(err, flags.Set(name, value))
		}
		if err != nil {
			return fmt.Errorf("--%s %s: expected %s", name, settings[name], jsonTypes[f.Value.Type()])
		}
	}
	return nil
}

// flagValues returns a value as a command line has it, several of a list. It must have the type of the flag.
func flagValues(value jsontext.Value, flagType string) (list []string, err error) {
	isText := flagType == "string" || flagType == "strings"
	switch kind := value.Kind(); {
	case kind == '"' && isText:
		list = make([]string, 1)
		return list, json.Unmarshal(value, &list[0])
	case kind == '[' && flagType == "strings":
		err = json.Unmarshal(value, &list)
		return list, err
	case kind == '0' && !isText && flagType != "bool", (kind == 't' || kind == 'f') && flagType == "bool":
		return []string{value.String()}, nil
	}
	return nil, errors.New("another type")
}

// changeableFlags may differ when a training resumes.
var changeableFlags = []string{
	"model", "checkpoint", "checkpoint-updates", "checkpoint-minutes",
	"epochs", "updates", "patience", "threads", "log", "log-file", "progress-updates", "settings", "recipe", "help", "overwrite", "no-lock", "strict", "cache",
}

// textFlags name text files, whose paths may differ when a training resumes.
var textFlags = []string{"source", "target", "valid-source", "valid-target", "source-vocabulary", "target-vocabulary", "codes", "init", "guided-alignment"}

// addInputs adds the files that flags name to read.
func (o *trainOptions) addInputs(flags *pflag.FlagSet) error {
	for _, name := range append([]string{"settings"}, textFlags...) {
		value := flags.Lookup(name).Value
		list := []string{value.String()}
		if repeated, ok := value.(*paths); ok {
			list = *repeated
		}
		for _, path := range list {
			if err := o.AddInput(name, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// settingsOf returns the settings in parsed flags, without the checksums of text files.
func settingsOf(flags *pflag.FlagSet) training.Settings {
	s := training.Settings{}
	flags.VisitAll(func(f *pflag.Flag) {
		isText := slices.Contains(textFlags, f.Name) && f.Value.String() != ""
		if !isText && !slices.Contains(changeableFlags, f.Name) {
			s[f.Name] = f.Value.String()
		}
	})
	return s
}

// differences describes each setting that differs from the checkpoint's. What the checkpoint does not have
// is the default.
func differences(flags *pflag.FlagSet, s, checkpoint map[string]string) (list []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		value, ok := s[f.Name]
		other, saved := checkpoint[f.Name]
		if !saved {
			other = f.DefValue
		}
		switch {
		case !ok || value == other:
		case f.Name == "init":
			list = append(list, fmt.Sprintf("--init %s: another model than in the checkpoint", visible(f.Value.String())))
		case slices.Contains(textFlags, f.Name):
			list = append(list, fmt.Sprintf("--%s %s: other text than in the checkpoint", f.Name, visible(f.Value.String())))
		default:
			list = append(list, fmt.Sprintf("--%s %s, the checkpoint has %s", f.Name, visible(value), visible(other)))
		}
	})
	slices.Sort(list)
	return list
}

// prepare returns the text and the settings of a training. The settings must equal those in the checkpoint,
// unless that is nil. Flags are compared before the text is read.
func (o *trainOptions) prepare(ctx context.Context, flags *pflag.FlagSet, checkpoint training.Settings, inMemory bool) (*corpus.Corpus, training.Settings, error) {
	s := settingsOf(flags)
	if !o.text.HasLanguage() {
		delete(s, "tokenizer")
	}
	if i := o.text.Initial; i != nil {
		s["init"] = i.Digest
	}
	compare := func(s map[string]string) error {
		if list := differences(flags, s, checkpoint); checkpoint != nil && list != nil {
			return o.Rejected(errors.New(strings.Join(list, "; ")))
		}
		return nil
	}
	if err := compare(s); err != nil {
		return nil, nil, err
	}
	text := o.text
	text.NoLock = o.NoLock
	if inMemory {
		text.Cache, text.KeepCache = "", false
	}
	c, err := corpus.Prepare(ctx, text, o.Threads, o.Reporter)
	if err != nil {
		return nil, nil, err
	}
	if err := compare(c.Checksums); err != nil {
		c.Close()
		return nil, nil, err
	}
	if maps.Copy(s, c.Checksums); checkpoint == nil {
		o.adviseRecipe(flags, c.Train.Len(), c.Source.Size(), c.Target.Size())
	}
	return c, s, nil
}

// visible returns the value of a flag, quoted where a shell needs quotes.
func visible(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n") {
		return fmt.Sprintf("%q", value)
	}
	return value
}

// paths are the values of a flag that may be repeated.
type paths []string

func (p *paths) String() string { return strings.Join(*p, string(os.PathListSeparator)) }
func (p *paths) Type() string   { return "strings" }

// Set adds a path.
func (p *paths) Set(path string) error {
	*p = append(*p, path)
	return nil
}

// setFromRecipe sets the flags of the recipe of --recipe that neither the command line nor a settings file
// sets, nor the model of --init, and that the kind of the model has. They count as given.
func (o *trainOptions) setFromRecipe(flags *pflag.FlagSet) error {
	if err := checkChoices(flags, choice{"recipe", training.RecipeNames()}); err != nil || !flags.Changed("recipe") {
		return err
	}
	var without []string
	if !o.attends() {
		without = []string{"alignment"}
	}
	if o.init != "" {
		without = slices.Concat(initialFlags, []string{"bpe", "vocab"})
	}
	return setFrom(flags, o.chosen().Settings(), without...)
}

// chosen returns the recipe of --recipe, or nil.
func (o *trainOptions) chosen() *training.Recipe {
	if i := slices.Index(training.RecipeNames(), o.recipe); i >= 0 {
		return &training.Recipes[i]
	}
	return nil
}

// recipeValues are the values of --recipe with their descriptions, for shells.
func recipeValues() (list []string) {
	for _, r := range training.Recipes {
		list = append(list, r.Name+"\tfor "+r.Text)
	}
	return list
}

// adviseRecipe says what to expect of a new training: what its recipe reached, or little from the sizes of the
// paper, if they are the defaults and the text is small.
func (o *trainOptions) adviseRecipe(flags *pflag.FlagSet, pairs, sourceWords, targetWords int) {
	const few = 1_000_000 // pairs
	isGiven := func(name string) bool { return flags.Changed(name) }
	switch r := o.chosen(); {
	case r != nil:
		fmt.Fprintf(o.Reporter.Messages, "rnnsearch: recipe %s, for %s. %s\n", r.Name, r.Text, r.Expected)
	case pairs < few && o.Initial == nil && !slices.ContainsFunc([]string{"embedding", "hidden", "alignment", "maxout"}, isGiven):
		config := o.Config
		config.SourceVocab, config.TargetVocab = sourceWords, targetWords
		fmt.Fprintf(o.Reporter.Messages, "rnnsearch: %s are few for the sizes of the paper, which are the default: %.0f million weights; --recipe small suits fewer than a million pairs\n",
			terminal.Plural(pairs, "training pair"), float64(config.NumParameters())/1e6)
	}
}
