package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/kernels"
)

// trainExample trains a model that the example of translate uses.
const trainExample = `  yes 'the cat sleeps in the garden
  the dog eats in the house
  the cat eats in the garden' | head -n 1500 > /tmp/train.en
  yes 'le chat dort dans le jardin
  le chien mange dans la maison
  le chat mange dans le jardin' | head -n 1500 > /tmp/train.fr
  go run ./model/cmd/rnnsearch train --source /tmp/train.en --target /tmp/train.fr \
    --valid-source /tmp/train.en --valid-target /tmp/train.fr --model /tmp/model.safetensors \
    --embedding 16 --hidden 32 --alignment 16 --maxout 16 --batch 5 --epochs 2`

// trainOptions are the flags of train.
type trainOptions struct {
	settings                                        string // file of flags
	source, target, validSource, validTarget, model string
	vocab, maxLength, batch                         int
	seed                                            uint64
	threads                                         int
	architecture                                    architectureOptions
	text                                            textOptions
	recipe                                          recipeOptions
	checkpoint                                      checkpointOptions
	stop                                            stopOptions
	log                                             logOptions
}

func newTrain() *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train --source FILE --target FILE --model FILE",
		Short: "Train a model on parallel text",
		Long: `Train a model on parallel text: two files of sentences in UTF-8, a sentence a line, each
line the translation of the same line of the other file. After every epoch the model is
measured on the validation text, and the best one is kept in the model file. Without
--valid-source and --valid-target, every tenth pair is held out for validation, of a large
corpus about 1000. The defaults are the settings of the paper.

The words are what white space separates, unless --source-language or --target-language says
that people wrote the text of that side: then it is normalised and tokenised as Moses does.
--bpe divides rare words into segments, which are the words of the model from there on: for
--vocab, --max-length and the losses, but not for BLEU. The model file keeps all of that, so
that translate takes and gives text as it was written.

--settings takes values of flags from a JSON object, as in {"optimizer": "adam", "bpe": 8000};
those on the command line come first.

A checkpoint beside the model file has all that a training goes on from: after every epoch, and
every 10 minutes. The same command goes on from it, however the last one ended, and comes to the
same model. Ctrl-C saves it first. --updates stops in the middle of an epoch, too, with one more
validation there. A higher --epochs or --updates goes on after the end. To start afresh, delete
the checkpoint.

` + logHelp,
		Example:          trainExample + "\n\n" + writtenExample,
		Args:             cobra.NoArgs,
		PersistentPreRun: endInOrder,
		PreRunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("settings") {
				return nil
			}
			return giveSettings(c.Flags(), o.settings)
		},
		RunE: func(c *cobra.Command, _ []string) error {
			err := o.prepare(c.Flags())
			if err != nil && o.settings != "" {
				err = fmt.Errorf("%w; with the settings of %s", err, o.settings)
			}
			if err != nil {
				return err
			}
			return train(c.Context(), c.OutOrStdout(), progressOn(c.ErrOrStderr()), o, c.Flags())
		},
	}
	f := c.Flags()
	f.StringVar(&o.settings, "settings", "", "`file` of values for flags that are not given")
	f.StringVar(&o.source, "source", "", "`file` of source sentences to learn from")
	f.StringVar(&o.target, "target", "", "`file` of their translations")
	f.StringVar(&o.validSource, "valid-source", "", "`file` of source sentences for validation (default some of --source)")
	f.StringVar(&o.validTarget, "valid-target", "", "`file` of their translations")
	f.StringVar(&o.model, "model", "", "`file` to write the model to")
	f.IntVar(&o.vocab, "vocab", 30000, "most words of each vocabulary, </s> and <unk> included")
	f.IntVar(&o.maxLength, "max-length", 50, "most words of a sentence to learn from")
	f.IntVar(&o.batch, "batch", 80, "sentences of an update")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the initial weights, of the order of the sentences and of dropout")
	o.architecture.add(f)
	o.recipe.add(f)
	o.checkpoint.add(f)
	o.stop.add(f)
	o.log.add(f)
	addThreads(c, &o.threads)
	addText(c, &o.text)
	require(c, "source", "target", "model")
	c.MarkFlagsRequiredTogether("valid-source", "valid-target")
	return c
}

// prepare sets the flags whose defaults depend on others, and returns an error for the first one
// that cannot be used.
func (o *trainOptions) prepare(flags *pflag.FlagSet) error {
	if o.checkpoint.path == "" {
		o.checkpoint.path = o.model + ".checkpoint"
	}
	if err := o.architecture.complete(flags); err != nil {
		return err
	}
	o.stop.complete(flags)
	err := checkNumbers(
		number{"vocab", o.vocab, 3, 1 << 24},
		number{"max-length", o.maxLength, 1, 10_000},
		number{"batch", o.batch, 1, 10_000},
		number{"threads", o.threads, 1, mostThreads},
	)
	if err != nil {
		return err
	}
	for _, group := range []interface{ check() error }{&o.architecture, &o.text, &o.recipe, &o.checkpoint, &o.stop, &o.log} {
		if err := group.check(); err != nil {
			return err
		}
	}
	return checkFiles(o.model, o.checkpoint.path)
}

// train reads the text, trains, and keeps the best model. It goes on from the checkpoint, if there
// is one.
func train(ctx context.Context, stdout io.Writer, start progressFunc, o trainOptions, flags *pflag.FlagSet) error {
	s, err := settingsOf(flags)
	if err != nil {
		return err
	}
	n, err := readCheckpoint(o.checkpoint.path, s, flags)
	if err != nil {
		return err
	}
	c, err := readCorpus(o)
	if err != nil {
		return err
	}
	m, err := c.newModel(o.architecture.config(), o.seed)
	if err != nil {
		return err
	}
	l, err := newLearner(m, c.train, o.recipe.recipe(o.seed), o.batch, o.seed, o.threads)
	if err != nil {
		return err
	}
	defer l.close()
	v, err := newValidator(kernels.Best().With(l.team), l.trainer.Model(), c.valid, o.threads)
	if err != nil {
		return err
	}
	t := training{
		settings: s, checkpoint: o.checkpoint, stop: o.stop, path: o.model,
		start: start, log: o.log.open(stdout), progressUpdates: o.log.updates,
		learner: l, validator: v,
		saved: -1, savedAt: time.Now(),
	}
	if n != nil {
		if err := t.resume(n); err != nil {
			return err
		}
	}
	t.begin(c.description(o.maxLength)+"\n"+description(m), n != nil)
	return t.run(ctx)
}
