package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

type trainOptions struct {
	training.Options
	text     corpus.Settings
	settings string // file of flags
	recipe   string // name
	init     string // model file
	log      string // format

	alignmentModel, optimizer, precision string  // see completeModel
	guidedWeight                         float64 // if the text has alignments
}

const trainName = "train"

func newTrain() *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use: trainName + " --source FILE --target FILE --model FILE",
		PreRunE: func(c *cobra.Command, _ []string) error {
			if err := o.setFromFile(c.Flags()); err != nil {
				return err
			}
			return o.setFromRecipe(c.Flags())
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return training.OnRanks(c.Context(), func(r *training.Ranks) error {
				err := o.complete(c.Flags())
				if err == nil {
					err = o.check(c.Context(), c.Flags(), r)
				}
				if err != nil && o.settings != "" {
					err = fmt.Errorf("%w; with the settings in %s", err, o.settings)
				}
				if err != nil && o.recipe != "" {
					err = fmt.Errorf("%w; with the settings of --recipe %s", err, o.recipe)
				}
				if err = r.Agree(err); err != nil {
					return err
				}
				return o.run(c, r)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&o.recipe, "recipe", "", "`name` of settings for a kind of text: small, paper or characters")
	f.StringVar(&o.settings, "settings", "", "JSON `file` of flags; the command line takes precedence")
	f.StringVar(&o.Model, "model", "", "`file` to write the model to")
	f.StringVar(&o.init, "init", "", "`file` of a model to start from, or en-fr or fr-en")
	f.BoolVar(&o.Overwrite, "overwrite", false, "start over, and replace the model and the checkpoint")
	addNoLock(f, &o.NoLock)
	f.IntVar(&o.Batch, "batch", 80, "sentences per update")
	f.IntVar(&o.BatchWords, "batch-words", 0, "maximum number of words per update, 0 for no maximum")
	f.IntVar(&o.Recipe.Shards, "shards", 1, "`number` of parts of a batch, a power of two, that MPI ranks can share")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of weights, order of sentences and dropout")
	addThreads(c, &o.Threads)
	flagGroup(f, "Text", o.addText)
	flagGroup(f, "Model", o.addModel)
	flagGroup(f, "Optimizer and regularization", o.addRecipe)
	flagGroup(f, "Checkpoints", o.addCheckpoints)
	flagGroup(f, "End and choice of the model", o.addEnd)
	flagGroup(f, "Log", o.addLog)
	for _, of := range append(trainChoices, choice{"recipe", recipeValues()}) {
		completeValues(c, of.flag, of.values...)
	}
	require(c, "source", "target", "model")
	c.MarkFlagsRequiredTogether("valid-source", "valid-target")
	return c
}

// complete sets the flags whose defaults depend on other flags, and reads the model of --init. It returns
// an error for flags that are given and have no effect.
func (o *trainOptions) complete(flags *pflag.FlagSet) (err error) {
	t := &o.text
	if o.init != "" {
		if t.Initial, err = openInitial(o.init, flags); err != nil {
			return err
		}
		o.Initial = t.Initial.Model
	}
	if o.Checkpoint == "" {
		o.Checkpoint = o.Model + ".checkpoint"
	}
	if t.KeepCache = t.Cache != ""; !t.KeepCache {
		t.Cache = o.Model + ".corpus"
	}
	o.Version, o.Commit = build()
	t.Program = fmt.Sprintf("%s, commit %q, %s", o.Version, o.Commit, runtime.Version())
	switch {
	case len(t.Source) != len(t.Target):
		return fmt.Errorf("--source: %s, --target: %s; expected as many", terminal.Plural(len(t.Source), "file"), terminal.Plural(len(t.Target), "file"))
	case flags.Changed("bpe-sample") && t.Merges == 0:
		return fmt.Errorf("--bpe-sample %d: expected with --bpe", t.Sample)
	case flags.Changed("vocab") && t.SourceVocabulary != "" && t.TargetVocabulary != "":
		return fmt.Errorf("--vocab %d: expected without --source-vocabulary or --target-vocabulary", t.VocabularySize)
	case flags.Changed("tokenizer") && !t.HasLanguage():
		return fmt.Errorf("--tokenizer %s: expected with --source-language or --target-language", t.Tokenizer)
	}
	return o.completeModel(flags)
}

// run trains. Only the root writes.
func (o *trainOptions) run(c *cobra.Command, r *training.Ranks) error {
	flags, stdout, stderr := c.Flags(), c.OutOrStdout(), c.ErrOrStderr()
	if !r.IsRoot() {
		stdout, stderr = io.Discard, io.Discard
	}
	if o.Updates > 0 && !flags.Changed("epochs") {
		o.Epochs = 0
	}
	o.Log = training.NewLogWriter(terminal.Prose(stdout), training.LogFormat(o.log))
	o.Reporter = corpus.Reporter{Begin: terminal.ProgressOn(stderr), Messages: stderr}
	o.Prepare = func(ctx context.Context, checkpoint training.Settings, inMemory bool) (*corpus.Corpus, training.Settings, error) {
		return o.prepare(ctx, flags, checkpoint, inMemory)
	}
	return training.Run(c.Context(), r, o.Options)
}
