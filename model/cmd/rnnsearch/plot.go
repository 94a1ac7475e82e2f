package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/internal/figure"
)

// plotExample trains from scratch each time, with a log, and draws the log.
var plotExample = "  rm -f /tmp/curves.safetensors.checkpoint\n" +
	strings.ReplaceAll(trainExample, "model.safetensors", "curves.safetensors") + ` \
    --log json --progress-updates 50 > /tmp/train.log
  go run ./model/cmd/rnnsearch plot < /tmp/train.log > /tmp/curves.svg`

func newPlot() *cobra.Command {
	return &cobra.Command{
		Use:   "plot [FILE...]",
		Short: "Draw learning curves, or BLEU by sentence length, as SVG",
		Long: `Draw logs of rnnsearch train --log json, from the given files or from standard
input: losses per word and BLEU against updates, with a ring around the best
model. Of results of rnnsearch bleu --json --by-length, draw BLEU against the
length of the sentences. Several files share one figure, in colors that a legend
explains by file name.`,
		Example: plotExample,
		RunE: func(c *cobra.Command, paths []string) error {
			svg, err := figure.Plot(c.InOrStdin(), paths)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), svg)
			return err
		},
	}
}
