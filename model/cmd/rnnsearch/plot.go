package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/figure"
)

var plotFormats = []string{figure.SVG, figure.PNG}

// plotExample trains from scratch each time, with a log, and draws the log.
var plotExample = "  rm -f /tmp/curves.safetensors.checkpoint\n" +
	strings.ReplaceAll(trainExample, "model.safetensors", "curves.safetensors") + ` \
    --log json --progress-updates 50 > /tmp/train.log
  go run ./model/cmd/rnnsearch plot < /tmp/train.log > /tmp/curves.svg
  go run ./model/cmd/rnnsearch plot /tmp/train.log --format png --output /tmp/curves.png`

func newPlot() *cobra.Command {
	var o figureOptions
	c := &cobra.Command{
		Use:   "plot [LOG...]",
		Short: "Draw the learning curves of trainings",
		Long: `Draw logs of rnnsearch train --log json, from the given files or from standard
input: losses per word and BLEU against updates, with a ring around the best
model. Several logs share one figure, in colors that a legend explains by file
name.`,
		Example: plotExample,
		RunE: func(c *cobra.Command, paths []string) error {
			return plot(c.OutOrStdout(), c.InOrStdin(), o, paths)
		},
	}
	o.add(c, plotFormats)
	return c
}

// plot draws the logs of the files, or of stdin if there are none.
func plot(stdout io.Writer, stdin io.Reader, o figureOptions, paths []string) error {
	if err := o.check(plotFormats, paths...); err != nil {
		return err
	}
	runs, err := figure.ReadRuns(stdin, paths)
	if err != nil {
		return err
	}
	page, err := figure.Curves(runs)
	if err != nil {
		return err
	}
	return o.write(stdout, page)
}
