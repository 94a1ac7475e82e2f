package main

import (
	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

func newInfo() *cobra.Command {
	var o models.Info
	c := &cobra.Command{
		Use:   "info",
		Short: "Describe a model file",
		Long: `Describe a model file: its architecture and sizes, its vocabularies, how text
becomes words, the number of parameters, the format, and the checksum, which
has been verified. --tensors lists the parameters with their shapes, types and
mean magnitudes. A training checkpoint is identified as one.

--json prints one object. It has the lines of the description as fields, and

  source, target   size and first words of the vocabulary, language, tokenizer,
                   numbers of patterns, merges and segments
  parameters, scales, tensor_count, bytes, sha256
  tensors          with --tensors: name, shape, type, mean_magnitude of each
  updates, config, recipe   of a checkpoint

Instead of the description, --vocabulary and --codes print a part of the model
as a file that other programs and train read: a vocabulary has one word a line
in the order of their ids, starting with </s> and <unk>, and the merges of
byte-pair encoding are those of a codes file of subword-nmt.`,
		Example: trainExample + `
  go run ./model/cmd/rnnsearch info --model /tmp/model.safetensors
  go run ./model/cmd/rnnsearch info --model /tmp/model.safetensors --json
  go run ./model/cmd/rnnsearch info --model /tmp/model.safetensors \
    --vocabulary source > /tmp/words.en`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			content, err := o.Content()
			if err != nil {
				return err
			}
			out := c.OutOrStdout()
			if o.Vocabulary == "" && !o.Codes && !o.JSON {
				out = terminal.Prose(out)
			}
			_, err = out.Write(content)
			return err
		},
	}
	addModel(c.Flags(), &o.Model)
	c.Flags().BoolVar(&o.Tensors, "tensors", false, "list the parameters")
	c.Flags().BoolVar(&o.JSON, "json", false, "print the description as a JSON object")
	c.Flags().StringVar(&o.Vocabulary, "vocabulary", "", "print the vocabulary of a `side`, source or target")
	c.Flags().BoolVar(&o.Codes, "codes", false, "print the merges of byte-pair encoding")
	c.MarkFlagsMutuallyExclusive("tensors", "vocabulary", "codes")
	c.MarkFlagsMutuallyExclusive("json", "vocabulary", "codes")
	completeValues(c, "vocabulary", models.Source, models.Target)
	return c
}
