package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

type quantizeOptions struct {
	translation.Quantization
	output string // empty to compare only
	files.Options
}

func newQuantize() *cobra.Command {
	var o quantizeOptions
	c := &cobra.Command{
		Use:   "quantize --model FILE --output FILE",
		Short: "Write a model with weights of int8",
		Long: `Write the int8 form of a model, in which a weight is an integer of 8 bits times
the scale of its row: a quarter of the memory, a multiple of the speed, and the
same translations on every processor, as with float32.

All commands take either form; train --init reads weights of int8 as float32.

The translations of the two forms differ a little. --source and --target show
what that costs on parallel text, with or without --output: a table of the
log-probability per word that each form gives to the translations, as in score,
its perplexity, and the line whose log-probability per word changes the most.
To measure the cost in BLEU, translate with both models and compare by bleu
--baseline, which tells by paired bootstrap resampling if it is significant.

Text is of the kind the model was trained on, in UTF-8, and may be compressed
with gzip or zstd. A pair with an empty line, or with one that is not UTF-8 or
has more than 1 MiB or 10000 words, is left out, with a warning. At the end,
such pairs are an error: the exit code is 1. The output is complete all the
same.`,
		Example: trainExample + `
  go run ./model/cmd/rnnsearch quantize --model /tmp/model.safetensors \
    --output /tmp/int8.safetensors --source /tmp/train.en --target /tmp/train.fr
  for form in model int8; do
    go run ./model/cmd/rnnsearch translate --model /tmp/$form.safetensors \
      --input /tmp/train.en --output /tmp/$form.fr
  done
  go run ./model/cmd/rnnsearch bleu --reference /tmp/train.fr \
    --baseline /tmp/model.fr < /tmp/int8.fr`,
		Args:             cobra.NoArgs,
		PersistentPreRun: stopOnSignal,
		RunE: func(c *cobra.Command, _ []string) error {
			return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.Model, "model", "", "`file` of the float32 model")
	f.StringVar(&o.output, "output", "", "`file` to write the int8 model to; it appears when it is complete")
	addOptions(c, &o.Options, files.Models)
	f.BoolVar(&o.Quiet, "quiet", false, "show the table and warnings only: no progress, no summary")
	flagGroup(f, "Comparison", func(*pflag.FlagSet) {
		addPairs(c, &o.Source, &o.Target)
		addThreads(c, &o.Threads)
	})
	require(c, "model")
	c.MarkFlagsRequiredTogether("source", "target")
	return c
}

// run quantizes the model, and prints the comparison. Both are complete even if the error tells of
// bad pairs.
func (o quantizeOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.output == "" && o.Overwrite:
		return errOverwriteNothing
	case o.output == "" && !o.Compares():
		return usageError{"missing --output, or --source and --target"}
	}
	if err := checkNumbers(number{"threads", o.Threads, 1, maxThreads}); err != nil {
		return err
	}
	out := files.StandardOutput(io.Discard)
	if o.output != "" {
		var err error
		if out, err = files.Models.Open("output", o.output, "", o.Options, o.Model, o.Source, o.Target); err != nil {
			return err
		}
		defer out.Close()
	}
	return o.Run(ctx, out, stdout, stderr)
}
