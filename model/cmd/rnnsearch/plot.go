package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/figure"
)

// plotFormats are the formats of plot.
var plotFormats = []string{formatSVG, formatPNG}

// plotExample trains with a log, anew each time, and draws it.
var plotExample = "  rm -f /tmp/drawn.safetensors.checkpoint\n" +
	strings.ReplaceAll(trainExample, "model.safetensors", "drawn.safetensors") + ` \
    --log json --progress-updates 50 > /tmp/train.log
  go run ./model/cmd/rnnsearch plot < /tmp/train.log > /tmp/curves.svg
  go run ./model/cmd/rnnsearch plot /tmp/train.log --format png --output /tmp/curves.png`

func newPlot() *cobra.Command {
	var p picture
	c := &cobra.Command{
		Use:   "plot [LOG...]",
		Short: "Draw the curves of trainings",
		Long: `Draw the logs of rnnsearch train --log json, of the files that are named or of standard
input: the losses per word and BLEU against updates, the best models with rings. Several
logs share a figure, in colours that a legend names after the files.`,
		Example: plotExample,
		RunE: func(c *cobra.Command, paths []string) error {
			return plot(c.OutOrStdout(), c.InOrStdin(), p, paths)
		},
	}
	p.flags(c, plotFormats)
	return c
}

// plot draws the logs of the files, or of stdin if there are none.
func plot(stdout io.Writer, stdin io.Reader, p picture, paths []string) error {
	if err := p.check(plotFormats); err != nil {
		return err
	}
	runs, err := readRuns(stdin, paths)
	if err != nil {
		return err
	}
	page, err := figure.Curves(runs)
	if err != nil {
		return err
	}
	return p.write(stdout, page)
}

// readRuns reads the logs.
func readRuns(stdin io.Reader, paths []string) ([]figure.Run, error) {
	if len(paths) == 0 {
		l, err := readTrainLog(standardInput, stdin)
		if err != nil {
			return nil, err
		}
		return []figure.Run{l.run("")}, nil
	}
	var runs []figure.Run
	names := runNames(paths)
	for i, path := range paths {
		l, err := readTrainLogFile(path)
		if err != nil {
			return nil, err
		}
		runs = append(runs, l.run(names[i]))
	}
	return runs, nil
}

func readTrainLogFile(path string) (*trainLog, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readTrainLog(path, f)
}

// runNames returns the names of the files without folders and extensions, or the paths if two of
// them are the same.
func runNames(paths []string) []string {
	var names []string
	seen := map[string]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		names = append(names, name)
		seen[name] = true
	}
	if len(seen) < len(paths) {
		return paths
	}
	return names
}
