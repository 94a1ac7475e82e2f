package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

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

// adviseRecipe says what to expect of a new training: that of the recipe, or little from the sizes of the
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
