package main

import (
	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

func newAverage() *cobra.Command {
	var models []string
	var output string
	var o files.Options
	c := &cobra.Command{
		Use:   "average --model FILE --model FILE --output FILE",
		Short: "Write a model with the mean weights of others",
		Long: `Write a model whose weights are the means of those of models with the same
architecture, vocabularies and text settings, in float32.

A model between two of one training may translate better than either. One
between a model and what train --init has made of it on other text knows most of
both: the mean forgets less of the first text. Models that began with different
random weights have no useful mean: translate with several --model instead.

A --model that stands twice counts twice. One of int8 is read as float32.`,
		Example: trainExample + `
  go run ./model/cmd/rnnsearch train --init /tmp/model.safetensors \
    --source /tmp/train.en --target /tmp/train.fr --updates 10 \
    --model /tmp/other.safetensors
  go run ./model/cmd/rnnsearch average --model /tmp/model.safetensors \
    --model /tmp/other.safetensors --output /tmp/both.safetensors`,
		Args:             cobra.NoArgs,
		PersistentPreRun: stopOnSignal,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(models) < 2 {
				return usageError{"expected several --model, found one"}
			}
			out, err := files.Models.Open("output", output, "", o, models...)
			if err != nil {
				return err
			}
			defer out.Close()
			return translation.Average(c.Context(), models, out)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&models, "model", nil, modelUsage+"; repeat it for others")
	f.StringVar(&output, "output", "", "`file` to write the model to; it appears when it is complete")
	addOptions(c, &o, files.Models)
	require(c, "model", "output")
	return c
}
