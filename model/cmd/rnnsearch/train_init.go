package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// initialFlags are those that a model of --init sets, because they describe its architecture and its text.
var initialFlags = []string{
	"kind", "order", "alignment-model", "embedding", "hidden", "alignment", "maxout",
	"source-language", "target-language", "tokenizer", "lowercase",
}

// openInitial reads the model of --init, and sets the initialFlags. Those that are given must describe it.
func openInitial(path string, flags *pflag.FlagSet) (*corpus.Initial, error) {
	i, err := corpus.OpenInitial(path)
	if err != nil {
		return nil, err
	}
	values := flagsOf(i)
	for _, name := range initialFlags {
		value, ok := values[name]
		if !ok {
			continue
		}
		f := flags.Lookup(name)
		if f.Changed && f.Value.String() != value {
			return nil, differs(i, f, visible(value))
		}
		if err := f.Value.Set(value); err != nil {
			return nil, fmt.Errorf("--init %s: --%s %s: %w", path, name, visible(value), err)
		}
	}
	return i, checkLimits(i, flags)
}

// differs returns the error for a flag that does not describe the model.
func differs(i *corpus.Initial, f *pflag.Flag, has string) error {
	return fmt.Errorf("--%s %s: the model of --init %s has %s", f.Name, visible(f.Value.String()), i.Path, has)
}

// flagsOf returns the values of the initialFlags; without a language there is no tokenizer.
func flagsOf(i *corpus.Initial) map[string]string {
	source, target := i.SourceText.Settings(), i.TargetText.Settings()
	rules := source.Rules
	if source.Language == "" {
		rules = target.Rules
	}
	values := map[string]string{
		"kind": string(i.Config.Kind), "order": string(i.Config.Order), "alignment-model": "additive",
		"embedding": strconv.Itoa(i.Config.Embedding), "hidden": strconv.Itoa(i.Config.Hidden),
		"alignment": strconv.Itoa(i.Config.Alignment), "maxout": strconv.Itoa(i.Config.Maxout),
		"source-language": source.Language, "target-language": target.Language,
		"lowercase": strconv.FormatBool(source.Lowercase || target.Lowercase),
	}
	if source.Language != "" || target.Language != "" {
		values["tokenizer"] = corpus.Moses
		if rules == pipeline.Reversible {
			values["tokenizer"] = string(pipeline.Reversible)
		}
	}
	for name, a := range alignmentModels {
		if a == i.Config.AlignmentModel {
			values["alignment-model"] = name
		}
	}
	return values
}

// checkLimits returns an error if the model has more merges or words than a flag that is given
// allows.
func checkLimits(i *corpus.Initial, flags *pflag.FlagSet) error {
	settings := i.SourceText.Settings()
	if settings.Codes == nil {
		settings = i.TargetText.Settings()
	}
	for _, limit := range []struct {
		flag string
		n    int
		has  string
	}{
		{"bpe", len(settings.Codes), terminal.Plural(len(settings.Codes), "merge")},
		{"vocab", i.Source.Size(), terminal.Plural(i.Source.Size(), "source word")},
		{"vocab", i.Target.Size(), terminal.Plural(i.Target.Size(), "target word")},
	} {
		f := flags.Lookup(limit.flag)
		given, err := strconv.Atoi(f.Value.String())
		if f.Changed && (err != nil || limit.n > given || limit.n == 0) {
			return differs(i, f, limit.has)
		}
	}
	if f := flags.Lookup("bpe-threshold"); f.Changed && settings.Segments == nil {
		return differs(i, f, "all segments")
	}
	for _, name := range []string{"bpe", "bpe-threshold"} { // there is nothing to learn
		if err := flags.Lookup(name).Value.Set("0"); err != nil {
			return err
		}
	}
	return nil
}
