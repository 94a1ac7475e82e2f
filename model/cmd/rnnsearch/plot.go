package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
	"github.com/softsearch-go/softsearch/model/text"
)

// plotFormats are the formats of plot.
var plotFormats = []string{formatSVG, formatPNG}

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
	runs, err := readRuns(stdin, paths)
	if err != nil {
		return err
	}
	page, err := figure.Curves(runs)
	if err != nil {
		return err
	}
	return o.write(stdout, page)
}

// readRuns reads the logs.
func readRuns(stdin io.Reader, paths []string) ([]figure.Run, error) {
	if len(paths) == 0 {
		in := files.NewInput(files.StandardInput, stdin)
		defer in.Close()
		records, err := trainlog.Read(files.StandardInput, in)
		if err != nil {
			return nil, err
		}
		r, err := runOf(files.StandardInput, records)
		return []figure.Run{r}, err
	}
	var runs []figure.Run
	names := runNames(paths)
	for i, path := range paths {
		r, err := openRun(path)
		if err != nil {
			return nil, err
		}
		r.Name = names[i]
		runs = append(runs, r)
	}
	return runs, nil
}

// openRun reads the log at path.
func openRun(path string) (figure.Run, error) {
	in, err := files.Open(path)
	if err != nil {
		return figure.Run{}, err
	}
	defer in.Close()
	records, err := trainlog.Read(path, in)
	if err != nil {
		return figure.Run{}, err
	}
	return runOf(path, records)
}

// runOf returns the curves of a log. Of several records for the same update, the last one counts.
// The best model is the last one that was the best so far. A log without progress records has the
// training loss of its validations. log is the name of the log in errors.
func runOf(log string, records []trainlog.Record) (figure.Run, error) {
	progress, training, validation, bleu := map[int]float64{}, map[int]float64{}, map[int]float64{}, map[int]float64{}
	best := map[int]bool{}
	for _, r := range records {
		switch r.Event {
		case trainlog.EventProgress:
			progress[r.Update] = *r.Loss
		case trainlog.EventValidation:
			training[r.Update], validation[r.Update], bleu[r.Update] = *r.Loss, *r.ValidationLoss, *r.BLEU
			best[r.Update] = r.Best != nil && *r.Best
		}
	}
	const expected = "expected the log of rnnsearch train --log json"
	switch {
	case len(records) == 0:
		return figure.Run{}, fmt.Errorf("%s: %w, %s", log, text.ErrEmptyFile, expected)
	case len(progress)+len(validation) == 0:
		return figure.Run{}, fmt.Errorf("%s: no record of progress or validation, %s", log, expected)
	case len(progress) > 0:
		training = progress
	}
	r := figure.Run{Training: samples(training), Validation: samples(validation), BLEU: samples(bleu)}
	for update, ok := range best {
		if ok {
			r.Best = max(r.Best, update)
		}
	}
	return r, nil
}

// samples returns measurements in the order of their updates.
func samples(values map[int]float64) []figure.Sample {
	var list []figure.Sample
	for _, update := range slices.Sorted(maps.Keys(values)) {
		list = append(list, figure.Sample{Update: update, Value: values[update]})
	}
	return list
}

// runNames returns the file names without folders and extensions, or the paths if two of those are
// equal.
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
