package main

import (
	"fmt"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/decode"
)

func newShortlist() *cobra.Command {
	var o translation.Shortlisting
	var noLock bool
	c := &cobra.Command{
		Use:   "shortlist --model FILE --source FILE",
		Short: "Let a model translate faster, by fewer words",
		Long: `Write a lexicon into a model: the target words that may stand for each source
word, and common ones that may stand anywhere. translate and serve then choose
among the words of the lexicon for a sentence in place of the whole vocabulary,
unless they would be more than half of it. That takes a part of the time, and
may change translations: compare by bleu --baseline with translate --shortlist
off, on text that is neither --source nor in a test.

The lexicon comes from attention. The model translates the sentences of
--source; at each word, the 16 words that it finds most probable count for each
source word by probability and attention weight. The more of its training text
the model sees, the fewer words are missing: take 100000 sentences or more.
Processors and --threads do not change the result. A model that is trained on
loses its lexicon; quantize keeps it, but that of the int8 model is better
learned from that model.

Log-probabilities of translations are among the words of the lexicon. score,
align of given pairs, and the server's next words and scores take all words.

Text is of the kind the model was trained on, in UTF-8, and may be compressed
with gzip or zstd. A line that is empty, not UTF-8 or has more than 1 MiB or
10000 words is left out, with a warning. At the end, such lines are an error:
the exit code is 1. The model is complete all the same, unless all lines are
left out: then it stays as it is. Another warning is for --source with less
than half of the source words of the model.`,
		Example: trainExample + `
  go run ./model/cmd/rnnsearch shortlist --model /tmp/model.safetensors \
    --source /tmp/train.en
  echo 'the dog eats in the house' |
    go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors`,
		Args:             cobra.NoArgs,
		PersistentPreRun: stopOnSignal,
		RunE: func(c *cobra.Command, _ []string) error {
			err := checkNumbers(
				number{"threads", o.Threads, 1, maxThreads},
				number{"words", o.Words, 1, maxShortlist},
				number{"common", o.Common, 1, maxShortlist},
			)
			if err != nil {
				return err
			}
			if models.BuiltIn(o.Model) != "" {
				return fmt.Errorf("--model %s: is built in, expected a file", o.Model)
			}
			if err := files.CheckModel(o.Model); err != nil {
				return err
			}
			out, err := files.Models.Open("model", o.Model, "", files.Options{Overwrite: true, NoLock: noLock}, o.Source)
			if err != nil {
				return err
			}
			defer out.Close()
			return o.Run(c.Context(), out, c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.Model, "model", "", "`file` of the model, which is replaced when the lexicon is complete")
	f.StringVar(&o.Source, "source", "", "`file` of source sentences")
	f.IntVar(&o.Words, "words", 100, "most target words for a source `word`")
	f.IntVar(&o.Common, "common", 1008, "`number` of target words for any sentence, the most frequent, which are the first ones of the vocabulary; a multiple of 16 is fastest")
	addNoLock(f, &noLock)
	f.BoolVar(&o.Quiet, "quiet", false, "show warnings only: no progress, no summary")
	addThreads(c, &o.Threads)
	require(c, "model", "source")
	return c
}

const maxShortlist = 100_000

// addShortlist adds the flag that makes translations ignore the lexicons of models.
func addShortlist(c *cobra.Command, d *decode.Options) {
	c.Flags().Var((*shortlist)(&d.AllWords), "shortlist", "`on` or off: choose among the words of the lexicons of the models for a sentence, if all have one, or among all words")
	completeValues(c, "shortlist", "on", "off")
}

// A shortlist is the value of --shortlist: whether it is off.
type shortlist bool

var _ pflag.Value = (*shortlist)(nil)

func (s *shortlist) Type() string { return "switch" }

func (s *shortlist) String() string {
	if *s {
		return "off"
	}
	return "on"
}

func (s *shortlist) Set(value string) error {
	if value != "on" && value != "off" {
		return fmt.Errorf("expected on or off")
	}
	*s = value == "off"
	return nil
}
